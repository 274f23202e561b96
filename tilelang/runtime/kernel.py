"""A compiled kernel that can be called."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from tilelang.runtime.arguments import Bound, bind, place_arguments, type_name
from tilelang.runtime.arrays import CPU, Device, loaded, view
from tilelang.runtime.encode import bits_of
from tilelang.runtime.formula import names_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tilelang.backends.artifact import Artifact, ParamSpec, Resources, Signature
    from tilelang.language.policy import TensorSupplyType
    from tilelang.profiler import Profiler
    from tilelang.runtime.cuda import CudaModule, PreparedKernel
    from tilelang.targets import Target


class CompiledKernel:
    """An artifact with what is needed to call it. Shapes that were seen before cost a look-up."""

    def __init__(self, artifact: Artifact, outputs: Sequence[int] | None = None) -> None:
        if outputs is not None:
            artifact = replace(artifact, signature=replace(artifact.signature, outputs=tuple(outputs)))
        self.artifact = artifact
        self._family = "cpu" if artifact.target == "cpu" else "cuda"
        self._inputs = tuple(i for i in range(len(self.signature.params)) if i not in self.signature.outputs)
        mentioned = {
            name
            for kernel in artifact.kernels
            for extent in (*kernel.grid, *_shapes(kernel))
            for name in names_in(extent)
        }
        mentioned |= {name for condition, _ in self.signature.assumptions for name in names_in(condition)}
        self._keyed = tuple(self.signature.params[i].name in mentioned for i in self._inputs)
        """Which inputs are scalars that decide the launch: calls with other values are prepared apart."""
        self._plans: dict[object, tuple[Bound, CudaModule | None, tuple[PreparedKernel, ...]]] = {}
        self._modules: dict[int, CudaModule] = {}

    @property
    def signature(self) -> Signature:
        """How the kernel is called."""
        return self.artifact.signature

    @property
    def resources(self) -> tuple[Resources, ...]:
        """What the assembler reports, one entry for each launch of the program."""
        return tuple(kernel.resources for kernel in self.artifact.kernels)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the kernel. Outputs are allocated and returned; other tensors are written in place. On CUDA the call
        queues the work on the current stream and returns."""
        given = args if not kwargs and len(args) == len(self._inputs) else self._placed(args, kwargs)
        try:
            key = tuple([_key(value, keyed) for value, keyed in zip(given, self._keyed, strict=True)])
            plan = self._plans.get(key)
        except TypeError:  # an argument that cannot be looked up
            key, plan = None, None
        if plan is None:
            plan = self._prepare(given)
            if key is not None:
                self._plans[key] = plan
        bound, module, launches = plan
        results = bound.allocate() if bound.results else []
        values: Sequence[Any] = given
        if results:
            merged: list[Any] = [None] * len(self.signature.params)
            for place, value in zip(self._inputs, given, strict=True):
                merged[place] = value
            for (place, _, _), value in zip(bound.results, results, strict=True):
                merged[place] = value
            values = merged
        if module is None:
            self._run_cpu(values, bound.dims)
        else:
            self._run_cuda(module, launches, values)
        return None if not results else results[0] if len(results) == 1 else results

    def _placed(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        return place_arguments(self.signature, args, kwargs)

    def _prepare(self, given: Sequence[Any]) -> tuple[Bound, CudaModule | None, tuple[PreparedKernel, ...]]:
        bound = bind(self.signature, self._family, given, self._default_device())
        if self._family == "cpu":
            return bound, None, ()
        module = self._module(bound.device[1])
        return bound, module, module.prepare(bound.dims)

    def _default_device(self) -> Device:
        if self._family == "cpu":
            return CPU
        torch = loaded("torch")
        return ("cuda", torch.cuda.current_device() if torch is not None and torch.cuda.is_available() else 0)

    def _module(self, device: int) -> CudaModule:
        from tilelang.runtime.cuda import CudaModule

        if device not in self._modules:
            self._modules[device] = CudaModule(self.artifact, device)
        return self._modules[device]

    def _run_cpu(self, values: Sequence[Any], dims: Mapping[str, int]) -> None:
        from tilelang.runtime.cpu import run

        run(self.artifact, values, dims)

    def _run_cuda(self, module: CudaModule, launches: Sequence[PreparedKernel], values: Sequence[Any]) -> None:
        from tilelang.runtime.cuda import current_stream

        bits = [_bits(param, value) for param, value in zip(self.signature.params, values, strict=True)]
        module.launch(launches, bits, current_stream(module.device))


def _shapes(kernel: Any) -> tuple[Any, ...]:
    return tuple(extent for argument in kernel.arguments for extent in argument.shape)


def _key(value: Any, keyed: bool) -> object:
    """What of an argument decides how a call is made."""
    try:
        strides = value.stride
        return (value.shape, strides(), value.dtype, value.device)
    except AttributeError:
        pass
    strides = getattr(value, "strides", None)
    if strides is not None:
        flags = getattr(value, "flags", None)
        return (value.shape, strides, value.dtype, getattr(flags, "writeable", True), getattr(value, "device", None))
    if isinstance(value, (int, float, bool)) or value is None:
        return (type_name(value), value) if keyed else type_name(value)
    if hasattr(value, "__dlpack__"):
        raise TypeError("a bare DLPack array is looked at each time")
    return (type_name(value), value)


def _bits(param: ParamSpec, value: Any) -> int:
    if param.kind == "scalar":
        return bits_of(value, param.dtype)
    try:
        return value.data_ptr()
    except AttributeError:
        if value is None:
            return 0
        if isinstance(value, int):
            return value
        array = view(value)
        return 0 if array is None else array.pointer


class JITKernel(CompiledKernel):
    """A kernel compiled from a ``@T.prim_func``, with its text at every stage.

    ``latency``, ``config`` and ``ref_latency`` are set on the kernel that a tuner returns.
    """

    latency: float | None = None
    config: dict[str, Any] | None = None
    ref_latency: float | None = None

    def __init__(
        self,
        func: Any = None,
        out_idx: list[int] | int | None = None,
        execution_backend: str | None = None,
        target: Any = "auto",
        target_host: Any = None,
        verbose: bool = False,
        pass_configs: Mapping[Any, Any] | None = None,
        from_database: bool = False,
        compile_flags: list[str] | str | None = None,
        backend_context: Any = None,
    ) -> None:
        from tilelang.runtime.build import build_kernel

        artifact, outputs, chosen = build_kernel(func, out_idx, target, pass_configs, compile_flags)
        super().__init__(artifact, outputs)
        self.prim_func = func
        self.target = chosen
        self.pass_configs = dict(pass_configs or {})
        self.out_idx = list(outputs)
        self.execution_backend = execution_backend or "auto"

    @classmethod
    def from_artifact(cls, artifact: Artifact, outputs: Sequence[int], target: Target) -> JITKernel:
        """A kernel whose code was made elsewhere."""
        made = cls.__new__(cls)
        CompiledKernel.__init__(made, artifact, outputs)
        made.prim_func, made.target, made.pass_configs = None, target, {}
        made.out_idx, made.execution_backend = list(outputs), "auto"
        return made

    def __repr__(self) -> str:
        return f"<JITKernel {self.signature.name} for {self.artifact.target}>"

    @property
    def params(self) -> tuple[ParamSpec, ...]:
        """The parameters with their types and shapes, outputs included."""
        return self.signature.params

    # --- text -----------------------------------------------------------------------------------------------------

    @property
    def kernel_source(self) -> str:
        """The text that went to the assembler: CUDA C++, or LLVM's language on the CPU."""
        return self.artifact.source

    @property
    def host_source(self) -> str:
        """There is no generated host code: the launches as text."""
        return "\n".join(
            f"{kernel.symbol}<<<{kernel.grid}, {kernel.block}, {kernel.dynamic_shared}>>>("
            + ", ".join(argument.name for argument in kernel.arguments)
            + ")"
            for kernel in self.artifact.kernels
        )

    def get_kernel_source(self, kernel_only: bool = True) -> str:
        """The generated code; with ``kernel_only=False`` also how it is launched."""
        return self.kernel_source if kernel_only else f"{self.kernel_source}\n{self.host_source}"

    def get_host_source(self) -> str:
        """How the kernel is launched."""
        return self.host_source

    def get_ptx(self) -> str:
        """The PTX. Raises ``ValueError`` for other targets than CUDA."""
        if self.artifact.ptx is None:
            raise ValueError(f"there is no PTX for the target {self.artifact.target}")
        return self.artifact.ptx

    def get_sass(self) -> str:
        """The machine code of the GPU as text. Raises ``ValueError`` for other targets than CUDA, and where no
        disassembler is installed that knows the GPU."""
        if self.artifact.cubin is None:
            raise ValueError(f"there is no SASS for the target {self.artifact.target}")
        from tilelang.backends.cuda.disasm import disassemble

        shown = disassemble(self.artifact.cubin)
        if not shown.text:
            raise ValueError(shown.note)
        return shown.text

    def show_source(self, which: Literal["kernel", "host", "both"] = "kernel") -> None:
        """Print the generated code."""
        self.print_source_code(which)

    def print_source_code(self, which: Literal["kernel", "host", "both"] = "kernel", file: str | None = None) -> None:
        """Print the generated code, or write it to a file."""
        parts = {
            "kernel": [self.kernel_source],
            "host": [self.host_source],
            "both": [self.kernel_source, self.host_source],
        }
        text = "\n".join(parts[which])
        if file is None:
            print(text)
        else:
            _write(file, text)

    def export_sources(self, kernel_path: str | None = None, host_path: str | None = None) -> None:
        """Write the generated code to files."""
        if kernel_path is None and host_path is None:
            raise ValueError("give kernel_path or host_path")
        if kernel_path is not None:
            _write(kernel_path, self.kernel_source)
        if host_path is not None:
            _write(host_path, self.host_source)

    def show_ptx(self) -> None:
        """Print the PTX."""
        print(self.get_ptx())

    def export_ptx(self, path: str) -> None:
        """Write the PTX to a file."""
        _write(path, self.get_ptx())

    def show_sass(self) -> None:
        """Print the SASS."""
        print(self.get_sass())

    def export_sass(self, path: str) -> None:
        """Write the SASS to a file."""
        _write(path, self.get_sass())

    def export(self, folder: str) -> str:
        """Write a bundle that :func:`tilelang.load` runs without the compiler."""
        from tilelang.runtime.bundle import export

        return str(export(self, folder))

    def export_library(self, kernel_file: str) -> None:
        """Another name of :meth:`export`."""
        self.export(kernel_file)

    # --- figures --------------------------------------------------------------------------------------------------

    @property
    def resource_usage(self) -> dict[str, Resources]:
        """Registers, spills and shared memory by device function."""
        return {kernel.symbol: kernel.resources for kernel in self.artifact.kernels}

    @property
    def n_regs(self) -> int | None:
        """Registers of a thread in the first device function."""
        return self.resources[0].registers if self.resources else None

    @property
    def n_spills(self) -> int | None:
        """Bytes that a thread of the first device function spills."""
        return self.resources[0].spill_stores if self.resources else None

    @property
    def n_max_threads(self) -> int | None:
        """Threads of a block of the first device function."""
        kernels = self.artifact.kernels
        return kernels[0].block[0] * kernels[0].block[1] * kernels[0].block[2] if kernels else None

    def get_profiler(self, tensor_supply_type: TensorSupplyType | None = None) -> Profiler:
        """Makes inputs, compares with a reference, and measures."""
        from tilelang.profiler import Profiler

        return Profiler.of(self, tensor_supply_type)

    def run_once(self, func: Callable[..., Any] | None = None) -> Any:
        """Run once with made-up inputs."""
        return self.get_profiler().run_once(func)

    def update_tuner_result(self, latency: float, config: dict[str, Any], ref_latency: float | None) -> JITKernel:
        """Remember what a tuner found."""
        self.latency, self.config, self.ref_latency = latency, config, ref_latency
        return self

    def get_tuner_result(self) -> dict[str, Any]:
        """What a tuner found. Raises ``ValueError`` if none has chosen this kernel."""
        if self.latency is None:
            raise ValueError("no tuner has run for this kernel")
        return {"latency": self.latency, "config": self.config, "ref_latency": self.ref_latency}


def _write(path: str, text: str) -> None:
    from pathlib import Path

    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
