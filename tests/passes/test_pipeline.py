"""Stages, order and copies of software pipelines."""

from __future__ import annotations

import pytest
from passes.samples import (
    F16,
    box,
    copy,
    fragment,
    gemm,
    loop_var,
    matmul,
    pipelined,
    reduce,
    shared,
    tensor,
    times,
    whole,
)

from tilelang.ir.buffer import Buffer
from tilelang.ir.dtype import BOOL, INT32
from tilelang.ir.expr import Binary, Load
from tilelang.ir.stmt import Fill, For, If, Store
from tilelang.ir.visit import walk
from tilelang.passes.pipeline import Pipeline, is_pipelined, plan_pipeline


def pipeline_of(num_stages: int, **options: object) -> Pipeline:
    loops = [stmt for stmt in walk(matmul(num_stages, **options).body) if isinstance(stmt, For)]  # type: ignore[arg-type]
    return plan_pipeline(loops[0])


def copies(pipeline: Pipeline) -> dict[str, int]:
    return {buffer.name: count for buffer, count in pipeline.versions.items()}


@pytest.mark.parametrize(
    ("num_stages", "count"), [(1, {}), (2, {"A_shared": 2, "B_shared": 2}), (4, {"A_shared": 4, "B_shared": 4})]
)
def test_a_matmul_stages_both_tiles(num_stages: int, count: dict[str, int]) -> None:
    pipeline = pipeline_of(num_stages)
    assert [unit.role for unit in pipeline.units] == ["copy", "copy", "compute"]
    assert copies(pipeline) == count
    assert pipeline.overlaps


def test_prologue_and_epilogue() -> None:
    pipeline = pipeline_of(3)
    assert pipeline.max_stage == 2
    assert [unit.number for unit in pipeline.prologue()] == [0, 1, 0, 1]
    assert [unit.number for unit in pipeline.epilogue()] == [2, 2]
    assert pipeline.rounds == 30


def test_a_short_loop_has_no_rounds_left() -> None:
    pipeline = pipeline_of(3, trips=1)
    assert pipeline.rounds == 0
    assert [unit.number for unit in pipeline.prologue()] == [0, 1]
    assert [unit.number for unit in pipeline.epilogue()] == [2]


def attention(num_stages: int) -> tuple[For, tuple[Buffer, ...]]:
    """Two products, each with its own tile; the second tile is loaded late."""
    q, k, v = shared("Q", 64, 64), shared("K", 64, 64), shared("V", 64, 64)
    keys, values = tensor("keys", 1024, 64), tensor("values", 1024, 64)
    s, p, o, row = fragment("S", 64, 64), fragment("P", 64, 64, of=F16), fragment("O", 64, 64), fragment("row", 64)
    i = loop_var("i")
    loop = pipelined(
        i,
        16,
        num_stages,
        copy(box(keys, (times(i, 64), 64), (0, 64)), k),
        Fill(whole(s), 0),
        gemm(q, k, s, trans_b=True),
        reduce(s, row, 1, "max"),
        copy(s, p),
        copy(box(values, (times(i, 64), 64), (0, 64)), v),
        gemm(p, v, o),
    )
    return loop, (k, v)


@pytest.mark.parametrize("num_stages", [1, 2, 3])
def test_copies_with_different_last_uses(num_stages: int) -> None:
    loop, (k, v) = attention(num_stages)
    pipeline = plan_pipeline(loop)
    expected = {} if num_stages == 1 else {k: num_stages, v: num_stages}
    assert pipeline.versions == expected
    load_k, load_v = pipeline.units[0], pipeline.units[5]
    assert (load_k.last_use, load_v.last_use) == (2, 6)
    assert load_k.order == pipeline.units[2].order + 1
    assert load_v.order == pipeline.units[6].order + 1


def test_what_prepares_a_copy_runs_with_it() -> None:
    source, tile, out = tensor("A", 1024), shared("tile", 64), fragment("out", 64)
    i = loop_var("i")
    guarded = If(Binary(BOOL, "<", i, 8), (copy(box(source, (times(i, 64), 64)), tile),))
    pipeline = plan_pipeline(pipelined(i, 16, 2, Fill(whole(tile), 0), guarded, copy(tile, out)))
    assert [unit.role for unit in pipeline.units] == ["producer", "copy", "compute"]
    assert copies(pipeline) == {"tile": 2}


def test_an_index_from_memory_runs_with_the_copy() -> None:
    source, indices, tile, out = tensor("A", 64, 64), tensor("I", 16, of=INT32), shared("tile", 64), fragment("out", 64)
    index = Buffer("index", (1,), INT32, "local.var")
    i = loop_var("i")
    pipeline = plan_pipeline(
        pipelined(
            i,
            16,
            2,
            Store(index, (0,), Load(INT32, indices, (i,))),
            copy(box(source, (Load(INT32, index, (0,)), 1), (0, 64)), tile),
            copy(tile, out),
        )
    )
    assert [unit.role for unit in pipeline.units] == ["producer", "copy", "compute"]
    assert copies(pipeline) == {"tile": 2}


def test_a_branch_guards_its_statements_one_by_one() -> None:
    source, tile, out = tensor("A", 1024), shared("tile", 64), fragment("out", 64)
    i = loop_var("i")
    body = (copy(box(source, (times(i, 64), 64)), tile), copy(tile, out))
    pipeline = plan_pipeline(pipelined(i, 16, 2, If(Binary(BOOL, "<", i, 8), body)))
    assert [unit.role for unit in pipeline.units] == ["copy", "compute"]
    assert all(unit.conditional for unit in pipeline.units)
    assert copies(pipeline) == {"tile": 2}


def test_a_body_of_one_stage_is_left_alone() -> None:
    a, b = shared("a", 64), shared("b", 64)
    pipeline = plan_pipeline(pipelined(loop_var("i"), 4, 3, copy(a, b)))
    assert not pipeline.overlaps
    assert pipeline.versions == {}


def test_an_explicit_order() -> None:
    loop, (k, v) = attention(0)
    given = For(
        "pipelined",
        loop.vars,
        loop.starts,
        loop.extents,
        loop.body,
        attrs=(("order", (0, 1, 2, 3, 4, 5, 6)), ("stage", (0, 1, 1, 1, 1, 0, 2))),
    )
    assert is_pipelined(given)
    assert not is_pipelined(loop)
    pipeline = plan_pipeline(given)
    assert [unit.stage for unit in pipeline.units] == [0, 1, 1, 1, 1, 0, 2]
    assert pipeline.versions[k] == 2
    assert pipeline.versions[v] == 3
    short = For("pipelined", loop.vars, loop.starts, loop.extents, loop.body, attrs=(("order", (0,)), ("stage", (0,))))
    assert [problem.kind for problem in plan_pipeline(short).problems] == ["order-length"]


def test_a_tile_written_twice() -> None:
    source, tile, out = tensor("A", 1024), shared("tile", 64), fragment("out", 64)
    i = loop_var("i")
    load = copy(box(source, (times(i, 64), 64)), tile)
    twice = plan_pipeline(pipelined(i, 16, 2, load, copy(tile, out), copy(box(source, (0, 64)), tile)))
    assert [problem.kind for problem in twice.problems] == ["written-twice"]
    late = plan_pipeline(pipelined(i, 16, 2, copy(tile, out), load))
    assert [problem.kind for problem in late.problems] == ["read-before-fill"]
    assert plan_pipeline(pipelined(i, 16, 2, load, copy(tile, out))).problems == ()


def test_halves_of_a_tile_do_not_conflict() -> None:
    source, tile, out = tensor("A", 1024), shared("tile", 128), fragment("out", 128)
    i = loop_var("i")
    halves = [copy(box(source, (times(i, 64), 64)), box(tile, (start, 64))) for start in (0, 64)]
    pipeline = plan_pipeline(pipelined(i, 16, 2, *halves, copy(tile, out)))
    assert pipeline.problems == ()
    assert copies(pipeline) == {"tile": 2}
