"""The figures of the devices."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tilelang.targets
from tilelang.targets import Target, archs, profile, resolve

DATA = Path(tilelang.targets.__file__).with_name("targets.json")


def target(name: str) -> Target:
    found = resolve(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "arch", "budget", "optin"),
    [
        ("v100", "sm_70", 98304, 98304),
        ("t4", "sm_75", 49152, 65536),
        ("a100", "sm_80", 166912, 166912),
        ("a10", "sm_86", 101376, 101376),
        ("l4", "sm_89", 101376, 101376),
        ("h100", "sm_90", 232448, 232448),
        ("b200", "sm_100", 232448, 232448),
        ("rtx5090", "sm_120", 101376, 101376),
        ("mi300x", "gfx942", 65536, 65536),
        ("mi355x", "gfx950", 163840, 163840),
        ("metal", "apple7", 32768, 32768),
        ("webgpu", "webgpu", 16384, 16384),
        ("cpu", "cpu", None, None),
    ],
)
def test_shared_memory_budget(name: str, arch: str, budget: int | None, optin: int | None) -> None:
    found = target(name)
    assert (found.arch, found.shared_memory.budget, found.shared_memory.optin) == (arch, budget, optin)


def test_the_optin_of_a_t4_is_a_choice() -> None:
    t4 = target("t4")
    assert t4.with_optin().shared_memory.budget == 65536
    assert t4.with_optin().name == "t4"
    assert t4.shared_memory.budget == 49152


def test_every_profile_can_be_built_and_is_complete_for_cuda() -> None:
    assert len(archs()) > 30
    for arch, family in archs().items():
        found = profile(arch)
        assert (found.arch, found.family) == (arch, family)
        assert found.native <= found.held
        if family == "cuda":
            assert found.launch.grid_dims == (2147483647, 65535, 65535)
            assert found.registers.per_thread == 255
            assert found.shared_memory.static == 49152
            assert found.compute_capability is not None


@pytest.mark.parametrize(
    ("feature", "first"),
    [
        ("ldmatrix", "sm_75"),
        ("cp_async", "sm_80"),
        ("cvt_fp8", "sm_89"),
        ("tma_tensor", "sm_90"),
        ("setmaxnreg", "sm_90"),
        ("tcgen05_tmem", "sm_100"),
    ],
)
def test_features_start_with_the_arch_that_brought_them(feature: str, first: str) -> None:
    cuda = [arch for arch, family in archs().items() if family == "cuda"]
    assert next(arch for arch in cuda if profile(arch).has(feature)) == first


def test_wgmma_belongs_to_hopper_alone() -> None:
    assert [arch for arch in archs() if profile(arch).has("wgmma")] == ["sm_90"]


def test_features_of_the_a_name_count_for_the_plain_name() -> None:
    assert target("sm_90a") == target("sm_90") == target("sm_90f")
    assert target("h100").compiled_as == "sm_90a"
    assert target("a100").compiled_as == "sm_80"
    assert target("b200").tensor_memory_columns == 512
    assert target("rtx5090").tensor_memory_columns is None


@pytest.mark.parametrize(
    ("name", "operands", "accumulator", "deepest"),
    [
        ("sm_70", "float16", "float32", 4),
        ("sm_75", "float16", "float32", 8),
        ("sm_80", "float16", "float32", 16),
        ("sm_75", "int8", "int32", 16),
        ("sm_80", "int8", "int32", 32),
        ("sm_80", "float32", "float32", 8),
        ("sm_89", "float8_e4m3fn", "float32", 32),
        ("gfx942", "float8_e4m3fnuz", "float32", 32),
        ("gfx950", "float8_e4m3fn", "float32", 128),
    ],
)
def test_deepest_matrix_instruction(name: str, operands: str, accumulator: str, deepest: int) -> None:
    assert target(name).matrix_instructions(operands, operands, accumulator)[0].k == deepest


@pytest.mark.parametrize(
    ("name", "operands", "accumulator"),
    [
        ("sm_75", "bfloat16", "float32"),
        ("sm_80", "bfloat16", "float16"),
        ("sm_80", "float8_e4m3fn", "float32"),
        ("sm_75", "float32", "float32"),
        ("gfx942", "float8_e4m3fn", "float32"),
        ("webgpu", "float16", "float32"),
    ],
)
def test_no_matrix_instruction(name: str, operands: str, accumulator: str) -> None:
    assert target(name).matrix_instructions(operands, operands, accumulator) == ()


def test_operand_types_of_one_class_mix() -> None:
    assert target("sm_89").matrix_instructions("float8_e4m3fn", "float8_e5m2", "float32")
    assert target("sm_80").matrix_instructions("int8", "uint8", "int32")
    assert not target("sm_80").matrix_instructions("float16", "bfloat16")


@pytest.mark.parametrize(
    ("name", "dtype", "support"),
    [
        ("sm_75", "float16", "native"),
        ("sm_75", "bfloat16", "converted"),
        ("sm_80", "bfloat16", "native"),
        ("sm_80", "float8_e4m3fn", "converted"),
        ("sm_89", "float8_e4m3fn", "native"),
        ("metal", "float64", "none"),
        ("webgpu", "int8", "none"),
    ],
)
def test_dtype_support(name: str, dtype: str, support: str) -> None:
    assert target(name).dtype_support(dtype) == support


def test_cards_have_their_figures() -> None:
    t4 = target("t4").card
    assert t4 is not None
    assert (t4.cores, t4.bandwidth_gbs, t4.peak_of("fp16"), t4.peak_of("bf16")) == (40, 320, 65, None)
    assert target("sm_75").card is None


def test_every_figure_names_a_source() -> None:
    document = json.loads(DATA.read_text(encoding="utf-8"))
    sources = document.pop("sources")
    assert all(sources.values())
    figures = [
        (device, figure)
        for section in document.values()
        for device, record in section.items()
        for figure in (*record.get("limits", record.get("peak", {})).values(), *record.get("memories", {}).values())
    ]
    assert len(figures) > 300
    for device, figure in figures:
        ids = figure[1].split()
        assert ids, device
        assert set(ids) <= set(sources), device
