"""Scratch memory of reductions and reducers. The bytes were read off upstream 0.1.15 for the same kernels."""

from __future__ import annotations

import pytest
from passes.samples import box, copy, fragment, loop_var, program, reduce, serial, shared, tensor, whole

from tilelang.ir.buffer import Buffer
from tilelang.ir.dtype import FLOAT32, VOID
from tilelang.ir.expr import Binary, Call, Load, Operand, Var
from tilelang.ir.program import Program
from tilelang.ir.stmt import Effect, Fill, For, Stmt, Store
from tilelang.passes import LaunchPlan, plan
from tilelang.passes.thread_map import REDUCED
from tilelang.targets import resolve

II, JJ = loop_var("i"), loop_var("j")


def plan_of(made: Program, **configs: object) -> LaunchPlan:
    target = resolve("sm_90")
    assert target is not None
    (launch,) = made.launches()
    return plan(made, launch, target, tuple(configs.items()))


def parallel(variables: tuple[Var, ...], extents: tuple[int, ...], *body: Stmt) -> For:
    return For("parallel", variables, (0,) * len(extents), extents, body)


def effect(op: str, *args: object, **attrs: object) -> Effect:
    return Effect(Call(VOID, op, args, tuple(attrs.items())))  # type: ignore[arg-type]  # regions and loads


def row_sums(rows: int, width: int, *, legacy: bool = False, batch: int | None = None) -> Program:
    """Sums of the rows of a tile, in a reducer."""
    scope = "local.fragment" if legacy else "local.reducer"
    acc = Buffer("acc", (rows,), FLOAT32, scope, attrs=(("reducer", "sum"),))
    src, result = fragment("src", rows, width), fragment("result", rows)
    place, value = Load(FLOAT32, acc, (II,)), Load(FLOAT32, src, (II, JJ))
    update: Stmt = effect("reducer_update", place, value)
    if legacy:
        update = Store(acc, (II,), Binary(FLOAT32, "+", place, value))
    options = {} if batch is None else {"batch": batch}
    return program(
        (src, acc, result),
        copy(tensor("A", rows, width, of=FLOAT32), src),
        effect("reducer_init", whole(acc)),
        parallel((II, JJ), (rows, width), update),
        effect("finalize_reducer", whole(acc), **options),
        *(() if legacy else (effect("reducer_result", whole(result)), copy(result, tensor("B", rows, of=FLOAT32)))),
    )


def total(extent: int, index: Operand = 0, size: int = 1) -> Program:
    """The sum of a vector, in one element of a reducer."""
    acc = Buffer("acc", (size,), FLOAT32, "local.reducer", attrs=(("reducer", "sum"),))
    src = fragment("src", extent)
    return program(
        (src, acc),
        copy(tensor("A", extent, of=FLOAT32), src),
        parallel((II,), (extent,), effect("reducer_update", Load(FLOAT32, acc, (index,)), Load(FLOAT32, src, (II,)))),
        effect("finalize_reducer", whole(acc)),
    )


@pytest.mark.parametrize("legacy", [False, True])
def test_a_narrow_plan_combines_few_threads(legacy: bool) -> None:
    """16 threads of a row hold 4 columns each: partners are within a warp."""
    found = plan_of(row_sums(16, 64, legacy=legacy))
    assert found.memory.dynamic == 0
    acc = next(buffer for buffer in found.maps if buffer.name == "acc")
    assert [(digit.dim, digit.extent) for digit in found.maps[acc].digits] == [(REDUCED, 16), (0, 8)]


@pytest.mark.parametrize(("extent", "scratch"), [(8, 0), (32, 0), (64, 512), (128, 512), (256, 512), (512, 512)])
def test_partners_beyond_a_warp_need_scratch_memory(extent: int, scratch: int) -> None:
    """A thread takes several neighbours only if that leaves no thread idle, so 64 elements are on 64 threads."""
    assert plan_of(total(extent)).memory.dynamic == scratch


def test_the_forced_baseline_combines_all_threads() -> None:
    assert plan_of(row_sums(16, 64), reducer_force_baseline=True).memory.dynamic == 512
    assert plan_of(row_sums(16, 64, batch=4), reducer_force_baseline=True).memory.dynamic == 2048


def test_wide_rows_and_computed_indices() -> None:
    assert plan_of(row_sums(4, 512)).memory.dynamic == 512
    assert plan_of(total(8, index=Binary(II.dtype, "//", II, 4), size=2)).memory.dynamic == 512


def test_registers_of_a_reducer() -> None:
    narrow, wide = plan_of(row_sums(16, 64)), plan_of(row_sums(16, 64), reducer_force_baseline=True)
    assert {use.buffer.name: use.registers for use in narrow.registers.uses}["acc"] == 2
    assert {use.buffer.name: use.registers for use in wide.registers.uses}["acc"] == 16


def test_a_fill_does_not_settle_how_a_fragment_is_spread() -> None:
    """The copies of float16 deal out 8 neighbours a thread; the accumulator follows although it is filled first."""
    part, acc, sums = fragment("o", 64, 64), fragment("acc", 64, 64), fragment("sums", 64)
    made = program(
        (part, acc, sums),
        Fill(whole(acc), 0),
        copy(box(tensor("O", 512, 64), (0, 64), (0, 64)), part),
        parallel((II, JJ), (64, 64), Store(acc, (II, JJ), Load(FLOAT32, part, (II, JJ)))),
        reduce(acc, sums, 1),
    )
    found = plan_of(made)
    assert found.memory.dynamic == 0
    assert found.memory.exact


def test_a_reduction_whose_source_is_not_settled_makes_an_estimate() -> None:
    source, sums = fragment("x", 64, 64), fragment("sums", 64)
    made = program((source, sums), Fill(whole(source), 1), reduce(source, sums, 1))
    assert not plan_of(made).memory.exact


def test_loops_that_never_run_are_left_out() -> None:
    tile = shared("tile", 64)
    made = program((tile,), serial(loop_var("k"), 0, Fill(whole(tile), 0)))
    assert plan_of(made).memory.dynamic == 0
