"""Targets by name."""

from __future__ import annotations

import pytest

from tilelang.targets import archs, cuda_archs, known_names, parse_target_list, resolve, suggest


@pytest.mark.parametrize(
    ("name", "arch", "label"),
    [
        ("t4", "sm_75", "T4"),
        (" Tesla T4 ", "sm_75", "T4"),
        ("sm_80", "sm_80", "sm_80"),
        ("SM80", "sm_80", "sm_80"),
        ("8.6", "sm_86", "sm_86"),
        ("compute_90a", "sm_90", "sm_90"),
        ("sm_101", "sm_110", "sm_110"),
        ("NVIDIA H100 80GB HBM3", "sm_90", "H100"),
        ("NVIDIA A100-SXM4-80GB", "sm_80", "A100"),
        ("NVIDIA GeForce RTX 4090", "sm_89", "RTX4090"),
        ("rtx 2080 Ti", "sm_75", "RTX2080TI"),
        ("rtx-3060", "sm_86", "RTX3060"),
        ("AMD Instinct MI300X", "gfx942", "MI300X"),
        ("gfx942:sramecc+:xnack-", "gfx942", "gfx942"),
        ("m4 max", "apple9", "M4MAX"),
        ("Ascend910B2", "ascend910b", "910B2"),
        ("cuda", "sm_80", "cuda"),
        ("auto", "sm_80", "sm_80"),
        ("hip", "gfx942", "hip"),
        ("llvm", "cpu", "llvm"),
    ],
)
def test_resolve(name: str, arch: str, label: str) -> None:
    target = resolve(name)
    assert target is not None
    assert (target.arch, target.label) == (arch, label)


@pytest.mark.parametrize("name", ["", "xyz", "sm_76", "80", "rtx1080", "gfx999", "+", "..", "sm_", "m9 max"])
def test_unknown_names_have_no_target(name: str) -> None:
    assert resolve(name) is None


def test_every_known_name_resolves_or_is_a_group() -> None:
    names = known_names()
    assert len(names) > 80
    for name in names:
        targets, unknown = parse_target_list(name)
        assert targets, name
        assert not unknown, name


@pytest.mark.parametrize(
    ("wrong", "right"), [("h10", "h100"), ("a10O", "a100"), ("sm_98", "sm_90"), ("gfx943", "gfx942")]
)
def test_suggestions(wrong: str, right: str) -> None:
    assert right in suggest(wrong)


def test_a_list_keeps_its_order_and_names_an_arch_once() -> None:
    targets, unknown = parse_target_list("t4, a100,h100,sm_75,h200")
    assert [target.label for target in targets] == ["T4", "A100", "H100"]
    assert unknown == ()


def test_a_list_reports_what_it_does_not_know() -> None:
    targets, unknown = parse_target_list(["t4", "h10O"])
    assert [target.name for target in targets] == ["t4"]
    assert [problem.name for problem in unknown] == ["h10O"]
    assert unknown[0].message.startswith("unknown target 'h10O'; did you mean h100")


def test_empty_parts_are_ignored() -> None:
    assert parse_target_list("") == ((), ())
    assert [target.name for target in parse_target_list("t4,,")[0]] == ["t4"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sm_90+", ["sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"]),
        ("sm_80..sm_89", ["sm_80", "sm_86", "sm_87", "sm_89"]),
        ("t4..a100", ["sm_75", "sm_80"]),
        ("all-metal", ["apple7", "apple8", "apple9", "apple10"]),
    ],
)
def test_ranges_and_groups(text: str, expected: list[str]) -> None:
    assert [target.arch for target in parse_target_list(text)[0]] == expected


def test_groups_cover_their_family() -> None:
    nvidia = {target.arch for target in parse_target_list("all-nvidia")[0]}
    assert nvidia == {arch for arch, family in archs().items() if family == "cuda"}
    assert {target.arch for target in parse_target_list("all")[0]} == set(archs())


def test_ranges_of_other_families_are_unknown() -> None:
    targets, unknown = parse_target_list("gfx942+,sm_75..metal")
    assert targets == ()
    assert [problem.name for problem in unknown] == ["gfx942+", "sm_75..metal"]


def test_cuda_archs_between_capabilities() -> None:
    assert cuda_archs((9, 0), (10, 0)) == ("sm_90", "sm_100")
    assert "sm_70" in cuda_archs()
