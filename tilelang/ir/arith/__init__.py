"""Integer arithmetic over symbolic sizes and indices: simplification, ranges, equality.

Sound, not complete: an answer is given only where it is certain.
"""

from tilelang.ir.arith.affine import Affine, affine
from tilelang.ir.arith.interval import UNBOUNDED, Interval, Ranges
from tilelang.ir.arith.prove import (
    bounds,
    difference,
    prove_divisible,
    prove_equal,
    prove_le,
    prove_lt,
    prove_ne,
    try_const,
)
from tilelang.ir.arith.scope import launch_ranges, let_ranges, loop_ranges
from tilelang.ir.arith.simplify import simplify

__all__ = [
    "UNBOUNDED",
    "Affine",
    "Interval",
    "Ranges",
    "affine",
    "bounds",
    "difference",
    "launch_ranges",
    "let_ranges",
    "loop_ranges",
    "prove_divisible",
    "prove_equal",
    "prove_le",
    "prove_lt",
    "prove_ne",
    "simplify",
    "try_const",
]
