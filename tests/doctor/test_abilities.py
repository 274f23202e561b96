"""What the doctor says can be done agrees with what the compiler does."""

from __future__ import annotations

import pytest

from tilelang_analyzers.doctor.abilities import Ability, abilities
from tilelang_analyzers.doctor.gpus import Gpu
from tilelang_analyzers.doctor.toolchains import Component, tools

ALL = {"apache-tvm": "0.27.0", "NVRTC": "12.9.86", "nvdisasm": "13.5.37", "cuda-bindings": "12.9.2"}
H200 = (Gpu("NVIDIA H200", "sm_90", "NVML"),)


def found(
    changed: dict[str, str | None] | None = None, gpus: tuple[Gpu, ...] = H200, system: str = "linux"
) -> dict[str, Ability]:
    versions = {**ALL, **(changed or {})}
    components = [Component(name, version, "") for name, version in versions.items()]
    return {ability.name: ability for ability in abilities(components, gpus, system)}


def test_with_everything() -> None:
    have = found()
    assert all(ability.possible for ability in have.values())
    assert have["PTX, machine code"].text == "for NVIDIA GPUs from sm_70 on"
    assert have["SASS listings"].text == "from sm_75 on; PTX listings for all others"
    assert have["running on a GPU"].text == "on NVIDIA H200"


@pytest.mark.parametrize(
    ("missing", "impossible"),
    [
        ("apache-tvm", ["CPU code, CUDA text", "PTX, machine code", "SASS listings", "running on a GPU"]),
        ("NVRTC", ["PTX, machine code", "SASS listings", "running on a GPU"]),
        ("nvdisasm", ["SASS listings"]),
        ("cuda-bindings", ["running on a GPU"]),
    ],
)
def test_what_a_missing_piece_takes_away(missing: str, impossible: list[str]) -> None:
    have = found({missing: None})
    assert [name for name, ability in have.items() if not ability.possible] == impossible
    assert all(f"{missing} is missing" in have[name].text for name in impossible)


def test_without_a_driver() -> None:
    have = found(gpus=())
    assert have["PTX, machine code"].possible
    assert have["running on a GPU"] == Ability(
        "running on a GPU", False, "no NVIDIA driver or GPU is seen; kernels are still compiled for any"
    )


def test_macos_has_no_wheels() -> None:
    assert "NVIDIA makes none for macOS" in found({"NVRTC": None}, system="darwin")["PTX, machine code"].text


def test_newer_tools_know_fewer_gpus() -> None:
    assert found({"NVRTC": "13.5.37"})["PTX, machine code"].text == "for NVIDIA GPUs from sm_75 on"
    assert found({"nvdisasm": "12.8.93"})["SASS listings"].text.startswith("from sm_70 on")


def test_it_agrees_with_the_compiler_here() -> None:
    from tilelang.backends.cuda.toolchain import nvrtc_libraries, tool

    here = tools()
    if next(tool.found for tool in here if tool.name == "apache-tvm") is None:
        pytest.skip("there is no compiler here")
    have = {ability.name: ability.possible for ability in abilities(here, ())}
    assert have["PTX, machine code"] == bool(nvrtc_libraries())
    assert have["SASS listings"] == (bool(nvrtc_libraries()) and tool("nvdisasm") is not None)
