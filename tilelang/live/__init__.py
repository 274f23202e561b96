"""Kernels of a running program: from real Python functions to programs of the tile IR.

The evaluator is the one of the checker (:mod:`tilelang.frontend`). What differs is the world around the kernel: names
resolve to the real objects of the program, and what the language does not know runs natively. So there are no unknown
values here, and no step budgets.
"""
