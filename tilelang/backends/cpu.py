"""A program as machine code of the CPU that the compiler runs on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.backends.artifact import Argument, Artifact, DeviceKernel
from tilelang.backends.build import BuildResult
from tilelang.ir.arith import try_const
from tilelang.ir.buffer import Buffer
from tilelang.ir.printer import print_program
from tilelang.ir.stmt import Effect
from tilelang.ir.visit import walk
from tilelang.lower import tir
from tilelang.lower.cpu.atomics import PRELUDE
from tilelang.lower.cpu.jumps import jumps_in, new_jumps
from tilelang.lower.cpu.kernel import BlockLowering
from tilelang.lower.cpu.small_floats import CONVERSIONS
from tilelang.lower.cpu.statements import lower_block
from tilelang.lower.signature import NotAFormula, dims_of, formula, identifier, names_of, signature_of
from tilelang.lower.tir import tirx
from tilelang.lower.unsupported import Unsupported

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.ir.expr import Var
    from tilelang.ir.program import Program
    from tilelang.ir.stmt import Launch
    from tilelang.targets import Target


def build_cpu(
    program: Program,
    target: Target,
    pass_configs: tuple[tuple[str, object], ...] = (),
    *,
    link: bool = True,
    stages: tuple[str, ...] = (),
) -> BuildResult:
    """Compile a program for the CPU: one function for each launch, whose blocks run in parallel. ``link``: down to
    machine code. ``stages`` may name ``asm``, too. Raises :class:`Unsupported`."""
    try:
        signature = signature_of(program)
    except NotAFormula as problem:
        raise Unsupported(str(problem), program.span) from None
    names = names_of(program, dims_of(program))
    launches = tuple(program.launches())
    if not launches:
        raise Unsupported(f"{program.name} launches no kernel", program.span)
    files: list[str] = []
    kernels: list[DeviceKernel] = []
    functions: dict[str, Any] = {}
    for number, launch in enumerate(launches):
        symbol = identifier(program.name) + ("_kernel" if number == 0 else f"_kernel_{number}")
        kernel = BlockLowering(program, launch, names, files)
        functions[symbol] = _function(kernel, symbol)
        kernels.append(_device_kernel(kernel, symbol, names))
    shown: list[tuple[str, str]] = []
    if "tile-ir" in stages:
        shown.append(("tile-ir", print_program(program)))
    texts = "\n\n".join(str(function) for function in functions.values()) if "tir" in stages or not link else ""
    if "tir" in stages:
        shown.append(("tir", texts))
    source = texts
    if link:
        from tilelang.backends.llvm import assembly_of, compile_host
        from tilelang.runtime.cpu import keep

        code = compile_host(functions)
        source = code.llvm
        keep(source, code.module)
        if "asm" in stages:
            shown.append(("asm", assembly_of(source, files)))
    artifact = Artifact(signature, target.arch, tuple(kernels), source, files=tuple(files), stages=tuple(shown))
    return BuildResult(artifact)


def _function(kernel: BlockLowering, symbol: str) -> Any:
    """One launch as a function: a parallel loop over blocks."""
    launch = kernel.launch
    if launch.attr("cluster_dims") is not None and _uses_cluster(launch):
        raise Unsupported("clusters of blocks are not supported on the CPU", launch.span)
    extents = [kernel.integer(extent) for extent in launch.grid]
    total = tir.const(1)
    for extent in extents:
        total = total * extent
    block = tir.var(kernel.fresh("block"))
    code: list[tir.Stmt] = []
    stride: tir.Expr | None = None
    for place, (var, extent) in enumerate(zip(launch.block_vars, extents, strict=False)):
        value = block if stride is None else tirx.truncdiv(block, stride)
        if place < len(extents) - 1:
            value = tirx.truncmod(value, extent)
        index = tir.var(kernel.fresh(var.name))
        code.append(tirx.Bind(index, value))
        kernel.scalars.bind(var, index)
        stride = extent if stride is None else stride * extent
    for loop in walk(kernel.program.body):
        tag = str(loop.attr("thread"))
        if tag.startswith("blockIdx"):
            axis = "xyz".find(tag[-1])
            names = launch.block_vars
            value = kernel.scalars.lower(names[axis]) if axis < len(names) else tir.const(0)
            kernel.scalars.bind(loop.vars[0], value)  # type: ignore[attr-defined]  # only loops have the attribute
    if any(jumps_in(stmt, returns=True) for stmt in launch.body):
        each = any(kernel.variance.is_per_thread(stmt) for stmt in launch.body if jumps_in(stmt, returns=True))
        level, setup = new_jumps(kernel, each=each)
        kernel.jumps.append(level)
        code += setup
    body = lower_block(kernel, launch.body)
    inner = tir.block([*kernel.memory.declarations, *code, *body])
    loop = tirx.For(block, tir.const(0), total, tirx.ForKind.PARALLEL, inner)
    outer = tir.block([*kernel.memory.inputs, loop])
    outer = tirx.AttrStmt(tir.const(0), "pragma_import_llvm", tir.tvm.ir.StringImm(f"{PRELUDE}\n{CONVERSIONS}"), outer)
    function = tirx.PrimFunc([value for value, _ in kernel.params], outer)
    return function.with_attr("global_symbol", symbol).with_attr("tirx.noalias", True).with_attr("s_tir", True)


def _uses_cluster(launch: Launch) -> bool:
    return any(isinstance(stmt, Effect) and stmt.call.op.startswith("cluster") for stmt in walk(launch.body))


def _device_kernel(kernel: BlockLowering, symbol: str, names: Mapping[Var, str]) -> DeviceKernel:
    launch = kernel.launch
    try:
        grid = [formula(extent, names) for extent in launch.grid]
    except NotAFormula as problem:
        raise Unsupported(f"the grid of the kernel: {problem}", launch.span) from None
    grid += [1] * (3 - len(grid))
    block = [try_const(extent) or 1 for extent in launch.threads]
    block += [1] * (3 - len(block))
    arguments = tuple(_argument(kernel, param, names) for _, param in kernel.params)
    return DeviceKernel(symbol, (grid[0], grid[1], grid[2]), (block[0], block[1], block[2]), arguments)


def _argument(kernel: BlockLowering, param: Buffer | Var, names: Mapping[Var, str]) -> Argument:
    """How the call gets one argument."""
    given = any(param is one for one in kernel.program.params)
    if not isinstance(param, Buffer):
        return Argument("param" if given else "dim", param.name if given else names[param], str(param.dtype))
    if given:
        return Argument("param", param.name, str(param.dtype))
    try:
        shape = tuple(formula(extent, names) for extent in param.shape)
    except NotAFormula as problem:
        raise Unsupported(f"the workspace {param.name}: {problem}", param.span) from None
    return Argument("workspace", param.name, str(param.dtype), shape)
