"""Layout inference. :func:`infer_layouts` is the pass; the modules are its parts, from the bottom up.

``indices`` and ``nest`` put parallel loops into terms of digits, ``vector_width`` and ``spread`` say how a nest runs
over threads, ``matrix`` what a gemm asks for, ``operations`` and ``collect`` what takes part, ``infer`` settles it all.
"""

from tilelang.passes.layouts.infer import infer_layouts
from tilelang.passes.layouts.operations import reduced
from tilelang.passes.layouts.result import Claim, Conflict, IgnoredWidth, LayoutMap

__all__ = ["Claim", "Conflict", "IgnoredWidth", "LayoutMap", "infer_layouts", "reduced"]
