"""Whole plans: shared memory, registers and occupancy of small kernels.

The bytes were read off upstream 0.1.15 for the same kernels.
"""

from __future__ import annotations

from types import SimpleNamespace

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
    program,
    reduce,
    serial,
    shared,
    tensor,
    times,
    whole,
)

from tilelang.ir.buffer import Buffer
from tilelang.ir.dtype import FLOAT32, INT32, VOID, dtype
from tilelang.ir.expr import Call, Var
from tilelang.ir.program import Program
from tilelang.ir.stmt import Copy, Effect, Fill, Scan
from tilelang.passes import LaunchPlan, plan
from tilelang.passes.smem_plan import storage_bytes
from tilelang.targets import resolve


def plan_of(made: Program, arch: str = "sm_80", **configs: object) -> LaunchPlan:
    target = resolve(arch)
    assert target is not None
    (launch,) = made.launches()
    return plan(made, launch, target, tuple(configs.items()))


def dynamic(made: Program, arch: str = "sm_80", **configs: object) -> int | None:
    return plan_of(made, arch, **configs).memory.dynamic


@pytest.mark.parametrize(("num_stages", "total"), [(1, 32768), (2, 32768), (3, 49152), (4, 65536)])
@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_89", "sm_90"])
def test_staged_tiles_and_a_reused_epilogue(num_stages: int, total: int, arch: str) -> None:
    """Two tiles of 8 KiB for each stage; the epilogue of 32 KiB lies in their place."""
    assert dynamic(matmul(num_stages), arch) == total


def test_the_table_of_buffers() -> None:
    memory = plan_of(matmul(3)).memory
    table = {slot.name: (slot.copies, slot.bytes, slot.offset, slot.shares_with) for slot in memory.allocations}
    assert table == {
        "A_shared": (3, 24576, 0, ("C_shared",)),
        "B_shared": (3, 24576, 24576, ("C_shared",)),
        "C_shared": (1, 32768, 0, ("A_shared", "B_shared")),
    }
    assert memory.exact
    assert memory.static == 0
    assert memory.explain().splitlines()[0] == (
        "A_shared: 24,576 B (3 copies of 8,192 B, one for each stage) at 0, in the same bytes as C_shared"
    )
    assert memory.explain().splitlines()[-1] == "total: 49,152 B"


def test_no_reuse_on_request() -> None:
    assert dynamic(matmul(3), TL_DISABLE_SHARED_MEMORY_REUSE=True) == 81920


def test_warp_specialisation_on_hopper() -> None:
    found = plan_of(matmul(3), "sm_90")
    assert found.specialisation is not None
    assert found.specialisation.loop is not None
    assert found.specialisation.producer_threads == 128
    assert found.resources.threads == 256
    assert found.memory.static == 48, "two barriers of 8 bytes for each of three stages"
    assert found.pipelines == ()
    alignment = {slot.name: slot.alignment for slot in found.memory.allocations}
    assert alignment["A_shared"] == 512, "a row of 64 bytes"
    assert alignment["B_shared"] == 1024

    plain = plan_of(matmul(3), "sm_90", **{"tl.disable_warp_specialized": True})
    assert plain.specialisation is None
    assert plain.resources.threads == 128
    assert plain.memory.static == 0
    assert plain.memory.dynamic == 49152


def test_a_tile_that_tma_cannot_load_keeps_the_kernel_whole() -> None:
    """Rows of 24 bytes are no multiple of 16."""
    source, tile, out = tensor("A", 64, 192), shared("tile", 64, 12), fragment("out", 64, 12)
    i = loop_var("i")
    made = program(
        (tile, out), pipelined(i, 16, 2, copy(box(source, (0, 64), (times(i, 12), 12)), tile), copy(tile, out))
    )
    found = plan_of(made, "sm_90")
    assert found.specialisation is None
    assert found.memory.dynamic == 2 * 64 * 12 * 2


def test_buffers_of_one_loop_all_live_at_once() -> None:
    a, b, x = shared("a", 1024), shared("b", 1024), fragment("x", 1024, of=F16)
    steps = (copy(x, a), copy(a, x), copy(x, b), copy(b, x))
    assert dynamic(program((a, b, x), *steps)) == 2048, "one after the other"
    assert dynamic(program((a, b, x), serial(loop_var("i"), 4, *steps))) == 4096, "a loop is one moment"
    assert dynamic(program((a, b, x), serial(loop_var("i"), 1, *steps))) == 2048, "a loop of one iteration is none"


def test_a_single_array_is_not_rounded() -> None:
    tile, x = shared("tile", 5), fragment("x", 5, of=F16)
    assert dynamic(program((tile, x), copy(x, tile))) == 10
    other, y = shared("other", 5), fragment("y", 5, of=F16)
    steps = (copy(x, tile), copy(y, other), copy(tile, x), copy(other, y))
    assert dynamic(program((tile, other, x, y), *steps)) == 32


def test_unused_and_static_arrays() -> None:
    unused, tile = shared("unused", 4096), Buffer("flags", (64,), dtype("bool"), "shared")
    x = fragment("x", 64, of=dtype("bool"))
    memory = plan_of(program((unused, tile, x), copy(x, tile))).memory
    assert (memory.dynamic, memory.static, memory.total) == (0, 64, 64)


@pytest.mark.parametrize(
    ("name", "elements", "size"),
    [("float16", 3, 6), ("int4", 3, 2), ("float4_e2m1fn", 5, 3), ("bool", 3, 3), ("float8_e4m3fn", 3, 3)],
)
def test_storage(name: str, elements: int, size: int) -> None:
    assert storage_bytes(dtype(name), elements) == size


# --- scratch memory -------------------------------------------------------------------------------------------


def row_sums(columns: int, threads: int) -> Program:
    source, x, total = tensor("A", 64, columns, of=FLOAT32), fragment("x", 1, columns), fragment("total", 1)
    return program(
        (x, total), copy(box(source, (0, 1), (0, columns)), x), reduce(x, total, 1), threads=threads, params=(source,)
    )


def test_a_reduction_across_warps_has_scratch_memory() -> None:
    found = plan_of(row_sums(8192, 128)).memory
    assert [(slot.name, slot.kind, slot.bytes) for slot in found.allocations] == [("workspace", "scratch", 512)]
    assert dynamic(row_sums(8192, 32)) == 0, "one warp shuffles"
    assert dynamic(row_sums(64, 128)) == 512, "one element for each of 64 threads"


@pytest.mark.parametrize(("policy", "total"), [("FullRow", 8192), ("FullCol", 8704)])
def test_a_reduction_of_an_accumulator(policy: str, total: int) -> None:
    """Scratch memory is needed where several warps share a row. Operands live on until the run of loops ends."""
    x, y = tensor("X", 64, 32), tensor("Y", 32, 64)
    a, b = shared("A", 64, 32), shared("B", 32, 64)
    c, row = fragment("C", 64, 64), fragment("row", 64)
    steps = (copy(x, a), copy(y, b), Fill(whole(c), 0), gemm(a, b, c, policy=policy), reduce(c, row, 1, "max"))
    assert dynamic(program((a, b, c, row), *steps)) == total


def test_each_copy_of_a_reduction_has_its_own() -> None:
    source, y, a, b = tensor("X", 64, 512), tensor("Y", 64, 64), shared("A", 64, 64), shared("B", 64, 64)
    c, row = fragment("C", 64, 64), fragment("row", 64)
    i = loop_var("i")
    load = copy(box(source, (0, 64), (times(i, 64), 64)), a)
    loop = pipelined(i, 8, 2, load, Fill(whole(c), 0), gemm(a, b, c, policy="FullCol"), reduce(c, row, 1))
    memory = plan_of(program((a, b, c, row), copy(y, b), loop)).memory
    assert memory.dynamic == 25088
    scratch = [slot for slot in memory.allocations if slot.kind == "scratch"]
    assert len(scratch) == 3, "one in the loop, two in the epilogue: the reduction lags two rounds behind the copy"


def test_operations_that_allocate_tiles() -> None:
    tile, total = shared("tile", 64, 64, of=FLOAT32), fragment("total", 64)
    found = plan_of(program((tile, total), Fill(whole(tile), 0), reduce(tile, total, 1)))
    assert found.opened is not found.launch
    assert "tile_frag" in {use.buffer.name for use in found.registers.uses}
    x = fragment("x", 128)
    scanned = program((x,), Scan("cumsum", whole(x), whole(x), 0))
    assert [(slot.name, slot.bytes) for slot in plan_of(scanned).memory.allocations] == [("scan_smem", 512)]


# --- what is not known ----------------------------------------------------------------------------------------


def test_symbolic_shapes_give_a_formula_and_a_bound() -> None:
    size = Var(INT32, "N", "dim")
    tile, fixed = Buffer("tile", (size, 32), F16, "shared.dyn"), shared("fixed", 1024)
    x = fragment("x", 1024, of=F16)
    memory = plan_of(program((tile, fixed, x), Fill(whole(tile), 0), copy(x, fixed))).memory
    assert memory.dynamic is None
    assert memory.total is None
    assert not memory.exact
    assert memory.at_least == 2048
    assert memory.formula == "N * 32 * 2 B + 2048 B"


def test_other_devices_get_an_estimate() -> None:
    for arch in ("gfx942", "metal", "webgpu", "cpu"):
        memory = plan_of(matmul(2), arch).memory
        assert memory.dynamic == 32768
        assert not memory.exact


# --- registers and occupancy ----------------------------------------------------------------------------------


def test_registers_of_fragments() -> None:
    big = plan_of(matmul(1, tile=(256, 256, 32)))
    (use,) = big.registers.uses
    assert (use.buffer.name, use.registers, use.spread) == ("C_local", 512, 128)
    small = fragment("row", 8)
    tiny = plan_of(program((small,), Fill(whole(small), 0)))
    assert tiny.registers.arrays == 1


def test_occupancy() -> None:
    found = plan_of(matmul(3), "sm_80").resources
    assert found.shared_total == 49152
    assert found.occupancy is not None
    # 128 registers of the accumulator, 64 of operands, 32 beside them: 224 in each of 128 threads.
    assert found.registers == 224
    assert (found.occupancy.blocks, found.occupancy.limiters) == (2, ("registers",))
    small = plan_of(matmul(4, tile=(64, 64, 64)), "sm_86").resources
    assert small.occupancy is not None
    assert (small.occupancy.blocks, small.occupancy.limiters) == (1, ("shared memory",))


@pytest.mark.parametrize("arch", ["sm_70", "sm_75"])
@pytest.mark.parametrize(
    ("a_inside", "b_inside", "width", "sums", "total"),
    [
        (False, False, 64, False, 8192),
        (True, False, 64, False, 8192),
        (True, True, 64, False, 8192),
        (True, True, 16, True, 5120),
        (True, True, 128, True, 12800),
    ],
)
def test_a_gemm_without_tensor_cores(
    arch: str, a_inside: bool, b_inside: bool, width: int, sums: bool, total: int
) -> None:
    """Operands in fragments are put where all threads read; the elements of a tile go round the threads."""
    bf16 = dtype("bfloat16")
    a = fragment("a", 64, 32, of=bf16) if a_inside else shared("a", 64, 32, of=bf16)
    b = fragment("b", 32, width, of=bf16) if b_inside else shared("b", 32, width, of=bf16)
    acc, rows = fragment("acc", 64, width), fragment("rows", 64)
    tail = (reduce(acc, rows, 1), copy(rows, tensor("D", 64, of=FLOAT32))) if sums else ()
    body = (
        copy(tensor("A", 64, 32, of=bf16), a),
        copy(tensor("B", 32, width, of=bf16), b),
        Fill(whole(acc), 0),
        gemm(a, b, acc),
        copy(acc, tensor("C", 64, width, of=FLOAT32)),
    )
    assert dynamic(program((a, b, acc, rows), *body, *tail), arch) == total


def test_an_aggressive_merge_ends_lives_inside_loops() -> None:
    """Two tiles that one iteration needs one after the other share bytes only then."""
    first, second, local = shared("first", 64, 64), shared("second", 64, 64), fragment("local", 64, 64, of=F16)
    a, b = tensor("A", 64, 64), tensor("B", 64, 64)
    body = (copy(a, first), copy(first, local), copy(b, second), copy(second, local))
    made = program((first, second, local), serial(loop_var("k"), 4, *body))
    assert dynamic(made) == 16384
    assert dynamic(made, enable_aggressive_shared_memory_merge=True) == 8192


def annotation(op: str, key: str, value: object) -> Effect:
    return Effect(Call(VOID, op, (), ((key, value),)))


def test_a_schedule_written_by_hand_replaces_the_automatic_one() -> None:
    tile, local = shared("tile", 32, 64), fragment("local", 32, 64, of=F16)
    schedule = SimpleNamespace(pipelines=[SimpleNamespace(buffers=[tile], depth=4)])
    loop = pipelined(loop_var("k"), 8, 2, copy(tensor("A", 32, 64), tile), copy(tile, local))
    made = program((tile, local), annotation("annotate_ws_schedule", "schedule", schedule), loop)
    found = plan_of(made, "sm_90")
    assert found.memory.dynamic == 16384
    assert (found.specialisation, found.pipelines) == (None, ())
    assert dynamic(made, "sm_80") == 8192


@pytest.mark.parametrize(("width", "total"), [(16, 4352), (32, 8704), (64, 17408)])
def test_a_tile_with_a_named_swizzle_starts_at_its_period(width: int, total: int) -> None:
    """128 bytes lie in front of the tile."""
    pad, tile = shared("pad", 32, of=INT32), shared("tile", 128, width)
    layout = annotation("annotate_layout", "layouts", ((tile, SimpleNamespace(name="swizzled")),))
    load = Copy(whole(tensor("A", 128, width)), whole(tile), "tma_copy", attrs=(("barrier", "bar"),))
    uses = (Fill(whole(pad), 0), load, copy(tile, tensor("B", 128, width)), copy(pad, tensor("C", 32, of=INT32)))
    assert dynamic(program((pad, tile), layout, *uses), "sm_90") == total
