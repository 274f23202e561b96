"""Layouts: where elements lie in memory, which thread and register holds them. Pure data, exact integers.

``digits`` is the algebra, ``layout`` and ``fragment`` the two kinds of maps, ``swizzles`` and ``matrix`` the layouts
that instructions ask for, ``picture`` how they are shown.
"""

from tilelang.ir.layout.digits import Digit, Input, Sum
from tilelang.ir.layout.fragment import REP, Fragment, fully_replicated, of_thread
from tilelang.ir.layout.layout import Layout, linear_layout

__all__ = [
    "REP",
    "Digit",
    "Fragment",
    "Input",
    "Layout",
    "Sum",
    "fully_replicated",
    "linear_layout",
    "of_thread",
]
