"""Accesses of a launch with what is around them, collisions between them, and the order of their statements."""

from __future__ import annotations

from itertools import product

from frontend.harness import check_instances
from hypothesis import given
from hypothesis import strategies as st

from tilelang.ir.arith import Interval, affine
from tilelang.ir.dtype import INT32
from tilelang.ir.expr import Binary, Operand, Var
from tilelang.passes.access.bounds import extremes
from tilelang.passes.access.collide import determined
from tilelang.passes.access.sites import Site, Sites, sites_of
from tilelang.passes.access.trace import Trace, thread_points

HEAD = "import tilelang\nimport tilelang.language as T\n\n\n"


def sites(body: str, threads: str = "64") -> Sites:
    """The accesses of a kernel with this body."""
    lines = "\n".join(f"        {line}" for line in body.strip("\n").splitlines())
    text = (
        f'{HEAD}@T.prim_func\ndef main(X: T.Tensor((64,), "int32"), Y: T.Tensor((64,), "int32")):\n'
        f"    with T.Kernel(4, threads={threads}) as bx:\n        tx = T.get_thread_binding()\n"
        f'        s = T.alloc_shared((64,), "int32")\n{lines}\n'
    )
    (instance,) = check_instances(text).instances
    (launch,) = instance.program.launches()
    return sites_of(launch)


def write_of(found: Sites, name: str) -> Site:
    (site,) = (one for one in found.sites if one.access.buffer.name == name and one.access.mode == "write")
    return site


def test_loops_and_conditions() -> None:
    found = sites("for i in T.Parallel(8):\n    for k in T.serial(4):\n        if i < 2:\n            s[i + k] = X[k]")
    site = write_of(found, "s")
    assert [axis.var.name for axis in site.axes] == ["bx", "tx", "i", "k"]
    assert len(site.guards) == 1
    assert site.nest is not None
    assert site.certain
    assert site.indices is not None
    reached = extremes(found, site, site.indices[0])
    assert reached is not None
    assert (reached.low.value, reached.high.value) == (0, 4)
    assert {var.name: value for var, value in reached.high.point.items()} == {"i": 1, "k": 3}


def test_selections_guard_their_arms() -> None:
    found = sites("for i in T.Parallel(8):\n    Y[i] = T.if_then_else(i > 0, X[i - 1], s[i])")
    reads = {site.access.buffer.name: site.guards for site in found.sites if site.access.mode == "read"}
    assert [guard.holds for guard in reads["X"]] == [True]
    assert [guard.holds for guard in reads["s"]] == [False]


def test_what_may_not_run_is_not_certain() -> None:
    assert not write_of(sites("for k in T.serial(0):\n    s[k] = 1"), "s").certain
    assert not write_of(sites("for k in T.serial(8):\n    if X[k] > 0:\n        break\n    s[k] = 1"), "s").certain


def test_warp_groups() -> None:
    assert write_of(sites("with T.ws(1):\n    s[tx] = 1", "256"), "s").groups == (1,)


def test_trace_unrolls_the_first_iterations_and_the_last() -> None:
    found = sites("for k in T.serial(8):\n    s[k] = 1\nT.sync_threads()\nif tx < 4:\n    s[tx] = 2")
    events = list(Trace(found).events())
    assert [event.kind for event in events] == ["thread", "thread", "thread", "gap", "thread", "barrier", "thread"]
    assert [value for event in events[:5] for var, value in event.point.items() if var.name == "k"] == [0, 1, 2, 7]
    assert len(events[-1].arms) == 1


def test_threads_of_a_block() -> None:
    found = thread_points(sites("s[tx] = 1", "(4, 2)"), 64)
    assert found is not None
    assert [tuple(point.values()) for point in found] == [(x, y) for y in range(2) for x in range(4)]
    assert thread_points(sites("s[tx] = 1", "128"), 64) is None


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 5), st.integers(1, 5), st.integers(0, 3))
def test_digits_are_determined(a: int, b: int, first: int, second: int, width: int) -> None:
    """Whatever `determined` says holds for all pairs of points: boxes of `width` more elements do not meet."""
    i, j = Var(INT32, "i", "loop"), Var(INT32, "j", "loop")
    ranges = {i: Interval(0, first - 1), j: Interval(0, second - 1)}
    index: Operand = Binary(INT32, "+", Binary(INT32, "*", i, a), Binary(INT32, "*", j, b))
    found = determined(affine(index), ranges, frozenset((i, j)), width)
    points = list(product(range(first), range(second)))
    for (i1, j1), (i2, j2) in product(points, points):
        if abs(a * i1 + b * j1 - a * i2 - b * j2) <= width:
            assert i not in found or i1 == i2
            assert j not in found or j1 == j2
