"""One small kernel as the tools print it, for the tests of the parsers. ``scale.cu`` is what was compiled."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tilelang.listing import Listing, cuda_listing, ptx_listing, sass_listing
from tilelang.listing.model import Function

DATA = Path(__file__).with_name("data")
KERNEL = "/home/me/kernel.py"
HELPERS = "tilelang_prologue.cuh"


def text(suffix: str) -> str:
    return (DATA / f"scale.{suffix}").read_text(encoding="utf-8")


@cache
def sass() -> Listing:
    return sass_listing(
        text("sass"), program="scale", target="sm_80", sources=(KERNEL,), functions=(Function("scale", 0, 0, 128),)
    )


@cache
def ptx() -> Listing:
    return ptx_listing(text("ptx"), program="scale", target="sm_80", sources=(KERNEL,))


@cache
def cuda() -> Listing:
    functions = (Function("scale", 0, 0, 128),)
    return cuda_listing(text("cu"), program="scale", target="sm_80", sources=(KERNEL,), functions=functions)
