"""Software pipelines: copies run ahead of the code that uses them, into further versions of their buffers.

From sm_80 on the copies are asynchronous. A round waits for the copies of its own iteration, passes one barrier, issues
those for the iteration ``distance`` rounds later, and computes. The barrier makes the arrived tiles visible and at the
same time frees the version that the new copies overwrite, which the round before was the last to use::

    for d in range(distance): issue(d); commit
    for i in range(n):
        wait until at most distance - 1 groups are open; barrier
        if i + distance < n: issue(i + distance)
        commit
        compute(i)

Earlier generations load into registers at the place of ``issue`` and store into shared memory after ``compute``, which
overlaps the latency of global memory in the same way.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tilelang.ir.arith import loop_ranges, try_const
from tilelang.ir.expr import Expr
from tilelang.ir.stmt import Copy, Gemm
from tilelang.lower import tir
from tilelang.lower.cuda.copies import copy_nest, has_async_copies
from tilelang.lower.cuda.gemm import GemmLowering
from tilelang.lower.cuda.nests import NestLowering, Staging
from tilelang.lower.unsupported import Unsupported
from tilelang.passes.stage_uses import units_of
from tilelang.passes.synchronise import pipelines_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.ir.buffer import Buffer
    from tilelang.ir.stmt import For, Stmt
    from tilelang.lower.cuda.gemm import MatrixSteps
    from tilelang.lower.cuda.kernel import KernelLowering
    from tilelang.passes.pipeline import Pipeline


def lower_pipeline(kernel: KernelLowering, loop: For) -> list[tir.Stmt]:
    """The code of a pipelined loop some of whose buffers have several versions."""
    pipeline = next(each for each in pipelines_of(kernel.plan) if each.loop is loop)
    return _PipelineLowering(kernel, pipeline).run()


class _PipelineLowering:
    def __init__(self, kernel: KernelLowering, pipeline: Pipeline) -> None:
        self.kernel = kernel
        self.pipeline = pipeline
        self.loop = pipeline.loop
        if len(self.loop.vars) != 1:
            raise Unsupported("a pipelined loop has one variable", self.loop.span)
        self.roles = {id(unit.stmt): unit.role for unit in pipeline.units}
        buffers = {use.buffer.root for unit in pipeline.units for use in (*unit.uses.reads, *unit.uses.writes)}
        self.versions: Mapping[Buffer, int] = {
            buffer: count
            for buffer in buffers
            if not buffer.is_global and (count := kernel.plan.versions.get(buffer, 1)) > 1
        }
        staged = kernel.barriers.staged[id(self.loop)]
        self.distance = min(self.versions[buffer] for buffer in staged) - 1
        self.asynchronous = has_async_copies(kernel)

    # --- structure ---

    def run(self) -> list[tir.Stmt]:
        kernel, loop, distance = self.kernel, self.loop, self.distance
        trips = try_const(loop.extents[0])
        if trips == 0:
            return []
        outer = kernel.ranges
        kernel.ranges = loop_ranges(loop, outer)
        count = kernel.index(loop.extents[0])
        code: list[tir.Stmt] = []
        for ahead in range(distance):
            if trips is not None and ahead >= trips:
                issued: list[tir.Stmt] = []
            else:
                issued = self._ahead(tir.const(ahead))
                if trips is None:
                    issued = [tir.branch(tir.tirx.LT(tir.const(ahead), count), issued)]
            code += [*issued, *self._commit()]
        index = tir.var(kernel.fresh(loop.vars[0].name))
        steps = self._product()
        if steps is None:
            body = self._round(index, count)
        else:
            code += [*steps.declare(2), *self._first_step(steps)]
            body = self._multiplied(steps, index, count)
        code.append(tir.tirx.For(index, tir.const(0), count, tir.tirx.ForKind.SERIAL, tir.block(body)))
        kernel.ranges = outer
        return code

    def _first_step(self, steps: MatrixSteps) -> list[tir.Stmt]:
        """The operands of the very first step."""
        kernel = self.kernel
        code = [tir.run(tir.extern("void", f"tl::cp_async_wait<{self.distance - 1}>")), kernel.barrier(self.loop)]
        steps.use(0)
        with kernel.using_versions(self._versions(tir.const(0))):
            return [*kernel.mark(steps.gemm.stmt.span), *code, *steps.fetch(0)]

    # --- a product alone ---

    def _product(self) -> MatrixSteps | None:
        """The product of a loop that computes nothing else, whose operands are what the copies bring."""
        computing = [unit for unit in self.pipeline.units if unit.role == "compute"]
        if not self.asynchronous or len(computing) != 1 or any(unit.role == "producer" for unit in self.pipeline.units):
            return None
        gemm = computing[0].stmt
        if not isinstance(gemm, Gemm) or gemm.clear_accum is not False:
            return None
        staged = self.kernel.barriers.staged[id(self.loop)]
        if not {gemm.a.buffer.root, gemm.b.buffer.root} <= staged or self.kernel.active(gemm)[1] != self.kernel.threads:
            return None
        if any(isinstance(start, Expr) for region in (gemm.a, gemm.b) for start in region.mins):
            return None
        found = GemmLowering(self.kernel, gemm).matrix_steps()
        # Two sets of registers take turns, so a tile has an even number of steps.
        return found if found is not None and found.count % 2 == 0 else None

    def _multiplied(self, steps: MatrixSteps, index: tir.Expr, count: tir.Expr) -> list[tir.Stmt]:
        """One round of a loop with nothing but a product: the operands of a step are fetched while the one before is
        multiplied, those of the next tile's first step included. So the tensor cores do not wait at the barrier."""
        kernel, distance, depth = self.kernel, self.distance, steps.instruction.k
        code: list[tir.Stmt] = []
        more = tir.tirx.LT(index + distance, count)
        for number in range(steps.count):
            last = number + 1 == steps.count
            code += kernel.mark(steps.gemm.stmt.span)
            if last:
                code += [tir.run(tir.extern("void", f"tl::cp_async_wait<{distance - 1}>")), kernel.barrier(self.loop)]
            steps.use((number + 1) % 2)
            iteration = index + 1 if last else index
            with kernel.using_versions(self._versions(iteration)):
                code += steps.fetch(0 if last else (number + 1) * depth)
            if number == 0:
                code += [tir.branch(more, self._ahead(index + distance)), *self._commit()]
                code += kernel.mark(steps.gemm.stmt.span)
            steps.use(number % 2)
            code += steps.multiply(number * depth)
        return code

    def _round(self, index: tir.Expr, count: tir.Expr) -> list[tir.Stmt]:
        kernel, distance = self.kernel, self.distance
        code: list[tir.Stmt] = [*kernel.mark(self.loop.span)]
        if self.asynchronous:
            code.append(tir.run(tir.extern("void", f"tl::cp_async_wait<{distance - 1}>")))
        code.append(kernel.barrier(self.loop))
        more = tir.tirx.LT(index + distance, count)
        if self.asynchronous:
            code += [tir.branch(more, self._ahead(index + distance)), *self._commit(), *self._compute(index)]
            return code
        declared, loads, stores = self._through_registers(index + distance)
        code += [*declared, tir.branch(more, loads), *self._compute(index), *kernel.mark(self.loop.span)]
        code.append(tir.branch(more, stores))
        return code

    def _commit(self) -> list[tir.Stmt]:
        return [tir.run(tir.extern("void", "tl::cp_async_commit"))] if self.asynchronous else []

    # --- the statements of one iteration ---

    def _ahead(self, iteration: tir.Expr) -> list[tir.Stmt]:
        """What runs ahead, for one iteration."""
        return self._statements(iteration, ahead=True)

    def _compute(self, iteration: tir.Expr) -> list[tir.Stmt]:
        return self._statements(iteration, ahead=False)

    def _statements(self, iteration: tir.Expr, *, ahead: bool) -> list[tir.Stmt]:
        from tilelang.lower.cuda.statements import lower_block

        code: list[tir.Stmt] = []
        self._enter(iteration)
        with self.kernel.using_versions(self._versions(iteration)):
            for stmt in units_of(self.loop.body):
                role = self.roles.get(id(stmt))
                if role is None:
                    # A name for a value, which both parts may need.
                    code += lower_block(self.kernel, (stmt,))
                elif (role == "compute") != ahead:
                    code += self._copy(stmt) if role == "copy" else lower_block(self.kernel, (stmt,))
        self._leave()
        return code

    def _enter(self, iteration: tir.Expr) -> None:
        loop = self.loop
        value = iteration
        if try_const(loop.step) != 1:
            value = value * self.kernel.index(loop.step)
        if try_const(loop.starts[0]) != 0:
            value = self.kernel.index(loop.starts[0]) + value
        self.kernel.scalars.bind(loop.vars[0], value)

    def _leave(self) -> None:
        self.kernel.scalars.unbind(self.loop.vars[0])

    def _versions(self, iteration: tir.Expr) -> dict[Buffer, tir.Expr]:
        return {buffer: _modulo(iteration, count) for buffer, count in self.versions.items()}

    def _copy(self, stmt: Stmt) -> list[tir.Stmt]:
        from tilelang.lower.cuda.copies import lower_copy
        from tilelang.lower.cuda.statements import lower_block

        if isinstance(stmt, Copy) and self.asynchronous:
            return [*self.kernel.mark(stmt.span), *lower_copy(self.kernel, stmt, asynchronous=True)]
        return lower_block(self.kernel, (stmt,))

    # --- copies through registers ---

    def _through_registers(self, iteration: tir.Expr) -> tuple[list[tir.Stmt], list[tir.Stmt], list[tir.Stmt]]:
        """Declarations of the registers, the loads into them and the stores from them."""
        from tilelang.lower.cuda.statements import lower_block

        kernel = self.kernel
        declared: list[tir.Stmt] = []
        loads: list[tir.Stmt] = []
        stores: list[tir.Stmt] = []
        self._enter(iteration)
        with kernel.using_versions(self._versions(iteration)):
            for stmt in units_of(self.loop.body):
                role = self.roles.get(id(stmt))
                if role == "copy" and isinstance(stmt, Copy) and stmt.op == "copy":
                    nest = copy_nest(stmt)
                    registers = NestLowering(kernel, nest).spread.register_count
                    dtype = kernel.storage(stmt.dst.buffer.dtype)
                    array, declaration = kernel.memory.temporary(f"{stmt.dst.buffer.name}_next", dtype, registers)
                    declared.append(declaration)
                    for half in (loads, stores):
                        staged = replace(nest, staging=Staging(array, half is loads))
                        half.extend([*kernel.mark(stmt.span), *NestLowering(kernel, staged).run()])
                elif role is None:
                    for half in (loads, stores):
                        half.extend(lower_block(kernel, (stmt,)))
                elif role == "copy":
                    stores += lower_block(kernel, (stmt,))
                elif role == "producer":
                    loads += lower_block(kernel, (stmt,))
        self._leave()
        return declared, loads, stores


def _modulo(value: tir.Expr, count: int) -> tir.Expr:
    if isinstance(value, tir.tirx.IntImm):
        return tir.const(int(value.value) % count)
    if count & (count - 1) == 0:
        return tir.tirx.bitwise_and(value, tir.const(count - 1))
    return tir.tirx.truncmod(value, tir.const(count))
