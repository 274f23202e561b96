"""Targets as programs write them."""

from __future__ import annotations

import pytest

from tilelang.targets import Target, read_request, resolve


def target(name: str) -> Target:
    found = resolve(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("value", "family", "arch"),
    [
        ("auto", None, None),
        ("cuda", "cuda", None),
        ("cuda -arch=sm_80", "cuda", "sm_80"),
        ("cuda --arch sm_90a", "cuda", "sm_90"),
        ("cutedsl", "cuda", None),
        ("hip", "rocm", None),
        ("hip -mcpu=gfx950", "rocm", "gfx950"),
        ("llvm", "cpu", None),
        ("c", "cpu", None),
        ("metal", "metal", None),
        ("webgpu", "webgpu", None),
        ("nvidia/geforce-rtx-4090", "cuda", "sm_89"),
        ("h100", "cuda", "sm_90"),
        ({"kind": "cuda"}, "cuda", None),
        ({"kind": "cuda", "arch": "sm_90a"}, "cuda", "sm_90"),
        ({"kind": "hip", "mcpu": "gfx942"}, "rocm", "gfx942"),
        ({"kind": "llvm", "mcpu": "znver4"}, "cpu", None),
        ({"kind": "cuda", "arch": 90}, "cuda", None),
        ({"tag": "nvidia/nvidia-a100"}, "cuda", "sm_80"),
    ],
)
def test_read_request(value: object, family: str | None, arch: str | None) -> None:
    request = read_request(value)
    assert request is not None
    assert (request.family, request.target and request.target.arch) == (family, arch)


@pytest.mark.parametrize("value", [None, 3, "", "nonsense", {}, {"kind": "fpga"}, {"arch": "sm_80"}, ["cuda"]])
def test_what_is_not_understood_is_no_request(value: object) -> None:
    assert read_request(value) is None


@pytest.mark.parametrize(
    ("value", "accepted", "refused"),
    [
        ("auto", ["t4", "mi300x", "cpu"], []),
        ("cuda", ["t4", "h100"], ["mi300x", "metal"]),
        ("cuda -arch=sm_80", ["a100", "sm_80"], ["t4", "h100"]),
        ({"kind": "hip"}, ["mi300x"], ["h100"]),
    ],
)
def test_a_request_narrows_the_targets(value: object, accepted: list[str], refused: list[str]) -> None:
    request = read_request(value)
    assert request is not None
    assert all(request.accepts(target(name)) for name in accepted)
    assert not any(request.accepts(target(name)) for name in refused)
