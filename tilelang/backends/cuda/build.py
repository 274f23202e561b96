"""A program as CUDA C++ text, PTX and a cubin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tilelang.backends.artifact import Argument, Artifact, DeviceKernel
from tilelang.backends.build import BuildResult
from tilelang.ir.buffer import Buffer
from tilelang.ir.printer import print_program
from tilelang.ir.stmt import Effect
from tilelang.lower import tir
from tilelang.lower.cuda.embedded import embedded
from tilelang.lower.cuda.kernel import KernelLowering
from tilelang.lower.cuda.statements import lower_block
from tilelang.lower.lines import Lines
from tilelang.lower.signature import NotAFormula, dims_of, formula, identifier, names_of, signature_of
from tilelang.lower.unsupported import Unsupported
from tilelang.passes import plan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.backends.artifact import Extent
    from tilelang.ir.expr import Call, Var
    from tilelang.ir.program import Program
    from tilelang.ir.stmt import Launch
    from tilelang.passes import LaunchPlan
    from tilelang.targets import Target

PROLOGUE_NAME = "tilelang_prologue.cuh"


@cache
def prologue() -> str:
    """The header that every generated kernel includes."""
    return files("tilelang.backends.cuda").joinpath("prologue.cuh").read_text(encoding="utf-8")


def build_cuda(
    program: Program,
    target: Target,
    pass_configs: tuple[tuple[str, object], ...],
    *,
    link: bool,
    stages: tuple[str, ...],
) -> BuildResult:
    """Compile a program for one generation of NVIDIA GPUs. Raises :class:`Unsupported`."""
    try:
        signature = signature_of(program)
    except NotAFormula as problem:
        raise Unsupported(str(problem), program.span) from None
    dims = dims_of(program)
    names = names_of(program, dims)
    lines = Lines()
    kernels: list[DeviceKernel] = []
    texts: list[str] = []
    tir_texts: list[str] = []
    sources: list[str] = []
    launches = tuple(program.launches())
    if not launches:
        raise Unsupported(f"{program.name} launches no kernel", program.span)
    includes = [f'#include "{PROLOGUE_NAME}"']
    if all(source_of(launch) is not None for launch in launches):
        # Their sources bring what they need, and may include headers that define the same names.
        includes = []
    for number, launch in enumerate(launches):
        own = source_of(launch)
        if own is not None:
            kernels.append(_source_kernel(program, launch, own, names))
            text = embedded(dict(own.attrs).get("source"), "T.CUDASourceCodeKernel", launch.span)
            sources += [] if text in sources else [text]
            continue
        found = plan(program, launch, target, pass_configs)
        name = identifier(program.name) + ("_kernel" if number == 0 else f"_kernel_{number}")
        lowered = lower_launch(program, found, names, lines, name)
        kernels.append(lowered.kernel)
        sources += [source for source in lowered.sources if source not in sources]
        if "tir" in stages:
            tir_texts.append(str(lowered.function))
        texts.append(lines.resolve(print_function(lowered.function, target)))
    source = "\n".join([*includes, *sources, *texts])
    shown: list[tuple[str, str]] = []
    if "tile-ir" in stages:
        shown.append(("tile-ir", print_program(program)))
    if "tir" in stages:
        shown.append(("tir", "\n\n".join(tir_texts)))
    artifact = Artifact(signature, target.arch, tuple(kernels), source, files=tuple(lines.files), stages=tuple(shown))
    if not link:
        return BuildResult(artifact)
    from tilelang.backends.cuda.assemble import assemble

    return assemble(artifact, program, target)


def source_of(launch: Launch) -> Call | None:
    """The call that names the CUDA source of a launch; ``None`` for one that is written in the language."""
    calls = (stmt.call for stmt in launch.body if isinstance(stmt, Effect))
    return next((call for call in calls if call.op == "cuda_source"), None)


def _source_kernel(program: Program, launch: Launch, call: Call, names: Mapping[Var, str]) -> DeviceKernel:
    """The launch of a function of embedded source. It takes the parameters in their order, then the sizes that shapes
    name."""
    entry = dict(call.attrs).get("entry")
    if not isinstance(entry, str):
        raise Unsupported("T.CUDASourceCodeKernel needs the name of a kernel that is known", launch.span)
    arguments = [Argument("param", param.name, str(param.dtype)) for param in program.params]
    sizes = [var for var in names if not any(var is param for param in program.params)]
    arguments += [Argument("dim", names[var], str(var.dtype)) for var in sizes]
    grid, block = _extents(launch, names)
    return DeviceKernel(entry, grid, block, tuple(arguments))


@dataclass(frozen=True, slots=True)
class LoweredKernel:
    """``function``: the TIRX function; ``sources``: CUDA text that the program brings itself."""

    function: Any
    kernel: DeviceKernel
    sources: tuple[str, ...]


def lower_launch(
    program: Program, found: LaunchPlan, names: Mapping[Var, str], lines: Lines, symbol: str
) -> LoweredKernel:
    """One launch as a TIRX device function. Raises :class:`Unsupported`."""
    if found.layouts.conflict is not None:
        conflict = found.layouts.conflict
        stmt = conflict.stmt
        raise Unsupported(
            f"no layout of {conflict.buffer.name} suits all of its uses ({conflict.reason})",
            stmt.span if stmt is not None else conflict.buffer.span,
        )
    kernel = KernelLowering(program, found, names, lines)
    launch = found.opened
    blocks, block_iters = _threads("blockIdx", [kernel.scalars.lower(extent) for extent in launch.grid])
    threads, thread_iters = _threads("threadIdx", [kernel.scalars.lower(extent) for extent in launch.threads])
    kernel.bind_launch(blocks, threads)
    body = [*kernel.barrier_setup(), *lower_block(kernel, launch.body)]
    code = tir.block([*kernel.memory.declarations, *body])
    for iteration, extent in reversed([*block_iters, *thread_iters]):
        code = tir.tirx.AttrStmt(iteration, "thread_extent", extent, code)
    tags = [iteration.thread_tag for iteration, _ in (*block_iters, *thread_iters)]
    device = tir.tvm.target.Target({"kind": "cuda", "arch": found.target.compiled_as})
    function = tir.tirx.PrimFunc([value for value, _ in kernel.params], code)
    function = (
        function.with_attr("global_symbol", symbol)
        .with_attr("target", device)
        .with_attr("calling_conv", 2)
        .with_attr("tirx.is_global_func", True)
        .with_attr("tirx.noalias", True)
        .with_attr("tirx.kernel_launch_params", tags)
        .with_attr("tirx.launch_bounds_min_blocks_per_sm", 1)
    )
    return LoweredKernel(function, _device_kernel(kernel, launch, symbol, names), tuple(kernel.sources))


def _threads(name: str, extents: list[Any]) -> tuple[list[Any], list[tuple[Any, Any]]]:
    values: list[Any] = []
    iterations: list[tuple[Any, Any]] = []
    for axis, extent in zip("xyz", extents, strict=False):
        value = tir.var(f"{name}_{axis}")
        values.append(value)
        iterations.append((tir.tirx.IterVar((0, extent), value, 1, f"{name}.{axis}"), extent))
    return values, iterations


def _extents(launch: Launch, names: Mapping[Var, str]) -> tuple[tuple[Extent, Extent, Extent], tuple[int, int, int]]:
    """Blocks and threads along three dimensions."""
    try:
        grid = [formula(extent, names) for extent in launch.grid]
    except NotAFormula as problem:
        raise Unsupported(f"the grid of the kernel: {problem}", launch.span) from None
    block = [formula(extent, names) for extent in launch.threads]
    grid += [1] * (3 - len(grid))
    block += [1] * (3 - len(block))
    sizes = [size for size in block if isinstance(size, int)]
    if len(sizes) != 3:
        raise Unsupported("the number of threads of a block must be a constant", launch.span)
    return (grid[0], grid[1], grid[2]), (sizes[0], sizes[1], sizes[2])


def _device_kernel(kernel: KernelLowering, launch: Launch, symbol: str, names: Mapping[Var, str]) -> DeviceKernel:
    grid, block = _extents(launch, names)
    arguments = tuple(_argument(kernel, param, names) for _, param in kernel.params)
    return DeviceKernel(symbol, grid, block, arguments, kernel.memory.dynamic_bytes)


def _argument(kernel: KernelLowering, param: Buffer | Var, names: Mapping[Var, str]) -> Argument:
    """How the launch gets one argument."""
    given = any(param is one for one in kernel.program.params)
    if not isinstance(param, Buffer):
        return Argument("param" if given else "dim", names.get(param, param.name), str(param.dtype))
    if given:
        return Argument("param", param.name, str(param.dtype))
    try:
        shape = tuple(formula(extent, names) for extent in param.shape)
    except NotAFormula as problem:
        raise Unsupported(f"the workspace {param.name}: {problem}", param.span) from None
    return Argument("workspace", param.name, str(param.dtype), shape)


def print_function(function: Any, target: Target) -> str:
    """The CUDA text of one function, without a prologue."""
    _silence_compiler()
    transform = tir.tirx.transform
    module = tir.tvm.ir.IRModule({str(function.attrs["global_symbol"]): function})
    for one in (transform.StmtSimplify(), transform.FlattenBuffer(), transform.LowerIntrin()):
        module = one(module)
    device = tir.tvm.target.Target({"kind": "cuda", "arch": target.compiled_as})
    text = str(tir.tvm.get_global_func("target.build.cuda")(module, device).inspect_source())
    # The declaration that TVM prints before the definition says nothing new.
    found: list[str] = []
    for line in text.split("\n"):
        if line.startswith('extern "C" __global__') and line.rstrip().endswith(";"):
            continue
        found.append(line)
    return "\n".join(found).strip() + "\n"


@cache
def _silence_compiler() -> None:
    """Keeps TVM from starting a compiler of its own, and from printing a prologue of its own."""
    ffi: Any = import_module("tvm_ffi")

    def text_only(code: str, *_: object) -> bytes:
        # Bytes suit both kinds of module that TVM makes: with a driver and without.
        return b"// text only"

    def no_prologue(tags: object) -> str:
        return ""

    ffi.register_global_func("tvm_callback_cuda_compile", text_only, override=True)
    ffi.register_global_func("tirx.intrinsics.cuda.header_generator", no_prologue, override=True)
