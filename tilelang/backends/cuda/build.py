"""A program as CUDA C++ text, PTX and a cubin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tilelang.backends.artifact import Argument, Artifact, DeviceKernel, Extent
from tilelang.backends.build import BuildResult
from tilelang.backends.listings import BUILT, TIR_PASSES
from tilelang.ir.buffer import Buffer
from tilelang.ir.printer import print_program
from tilelang.ir.stmt import Effect
from tilelang.lower import tir
from tilelang.lower.cuda.embedded import source_text
from tilelang.lower.cuda.kernel import KernelLowering
from tilelang.lower.cuda.statements import lower_block
from tilelang.lower.lines import Lines
from tilelang.lower.refusals import require_layouts
from tilelang.lower.signature import NotAFormula, dims_of, formula, identifier, names_of, signature_of
from tilelang.lower.unsupported import Unsupported
from tilelang.passes import plan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.ir.expr import Var
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
    shown: dict[str, list[str]] = {"tile-ir": [print_program(program)]} if "tile-ir" in stages else {}
    sources: list[str] = []
    launches = tuple(program.launches())
    if not launches:
        raise Unsupported(f"{program.name} launches no kernel", program.span)
    for number, launch in enumerate(launches):
        embedded = embedded_kernel(program, launch, names, lines)
        if embedded is not None:
            kernels.append(embedded.kernel)
            sources += [source for source in embedded.sources if source not in sources]
            continue
        found = plan(program, launch, target, pass_configs)
        name = identifier(program.name) + ("_kernel" if number == 0 else f"_kernel_{number}")
        lowered = lower_launch(program, found, names, lines, name)
        kernels.append(lowered.kernel)
        sources += [source for source in lowered.sources if source not in sources]
        module, forms = lower_device_code(lowered.function, stages)
        for stage, form in forms:
            shown.setdefault(stage, []).append(form)
        texts.append(lines.resolve(print_module(module, target)))
    # Sources alone bring what they need, and may include headers that define the same names.
    includes = [f'#include "{PROLOGUE_NAME}"'] if texts else []
    source = "\n".join([*includes, *sources, *texts])
    made = tuple((stage, "\n\n".join(shown[stage])) for stage in ("tile-ir", *BUILT) if stage in shown)
    artifact = Artifact(signature, target.arch, tuple(kernels), source, files=tuple(lines.files), stages=made)
    if not link:
        return BuildResult(artifact)
    from tilelang.backends.cuda.assemble import assemble

    return assemble(artifact, program, target)


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
    require_layouts(found)
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


def embedded_kernel(program: Program, launch: Launch, names: Mapping[Var, str], lines: Lines) -> LoweredKernel | None:
    """A launch of a function whose CUDA source the program brings; None for other launches. The function gets the
    parameters of the program, then its sizes."""
    effects = [stmt for stmt in launch.body if isinstance(stmt, Effect) and stmt.call.op == "cuda_source"]
    if not effects:
        return None
    call = effects[0].call
    symbol = call.args[0]
    if not isinstance(symbol, str):
        raise Unsupported("the name of the CUDA kernel is not known before the program runs", launch.span)
    text = source_text(dict(call.attrs).get("source"), effects[0].span, lines)
    before = launch.attr("prelude")
    given = {param for param in program.params if not isinstance(param, Buffer)}
    arguments = [Argument("param", param.name, str(param.dtype)) for param in program.params]
    arguments += [Argument("dim", name, str(var.dtype)) for var, name in names.items() if var not in given]
    grid, block = _extents(launch, names)
    kernel = DeviceKernel(symbol, grid, block, tuple(arguments))
    return LoweredKernel(None, kernel, (before, text) if isinstance(before, str) else (text,))


def _threads(name: str, extents: list[Any]) -> tuple[list[Any], list[tuple[Any, Any]]]:
    values: list[Any] = []
    iterations: list[tuple[Any, Any]] = []
    for axis, extent in zip("xyz", extents, strict=False):
        value = tir.var(f"{name}_{axis}")
        values.append(value)
        iterations.append((tir.tirx.IterVar((0, extent), value, 1, f"{name}.{axis}"), extent))
    return values, iterations


def _device_kernel(kernel: KernelLowering, launch: Launch, symbol: str, names: Mapping[Var, str]) -> DeviceKernel:
    arguments = tuple(_argument(kernel, param, names) for _, param in kernel.params)
    grid, block = _extents(launch, names)
    return DeviceKernel(symbol, grid, block, arguments, kernel.memory.dynamic_bytes)


def _extents(launch: Launch, names: Mapping[Var, str]) -> tuple[tuple[Extent, Extent, Extent], tuple[int, int, int]]:
    """The grid and the threads of a block, in three dimensions."""
    try:
        grid = [formula(extent, names) for extent in launch.grid]
        block = [formula(extent, names) for extent in launch.threads]
    except NotAFormula as problem:
        raise Unsupported(f"the grid of the kernel: {problem}", launch.span) from None
    grid += [1] * (3 - len(grid))
    block += [1] * (3 - len(block))
    sizes = [size for size in block if isinstance(size, int)]
    if len(sizes) != 3:
        raise Unsupported("the number of threads of a block must be a constant", launch.span)
    return (grid[0], grid[1], grid[2]), (sizes[0], sizes[1], sizes[2])


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


def lower_device_code(function: Any, stages: tuple[str, ...]) -> tuple[Any, list[tuple[str, str]]]:
    """A module with one function after the passes of TVM that the printer of CUDA needs, and the text of each stage
    that is asked for."""
    module = tir.tvm.ir.IRModule({str(function.attrs["global_symbol"]): function})
    shown = [("tir", str(function))] if "tir" in stages else []
    for name in TIR_PASSES:
        module = getattr(tir.tirx.transform, name)()(module)
        if f"tir:{name}" in stages:
            shown.append((f"tir:{name}", "\n\n".join(str(each) for each in module.functions.values())))
    return module, shown


def print_module(module: Any, target: Target) -> str:
    """The CUDA text of one function, without a prologue."""
    _silence_compiler()
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
