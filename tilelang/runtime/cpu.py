"""Calling kernels that are compiled for the CPU.

Code is a module of LLVM, which is made again from its text in a process that did not compile it.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from typing import TYPE_CHECKING, Any

from tilelang.ir.dtype import DType
from tilelang.runtime.arrays import view
from tilelang.runtime.formula import value_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tilelang.backends.artifact import Argument, Artifact

_modules: dict[str, Any] = {}
"""Loaded modules by their text."""
_functions: dict[tuple[int, str], tuple[Any, Any]] = {}
"""Functions by module and name, with the module, so that it stays."""
_failures: list[str] = []
_lock = threading.Lock()


def keep(source: str, module: Any) -> None:
    """Remember the module of a text that was just compiled."""
    _modules[source] = module


def module_of(artifact: Artifact) -> Any:
    """The loaded code of an artifact."""
    if artifact.host is not None:
        return artifact.host
    found = _modules.get(artifact.source)
    if found is None:
        from tilelang.backends.llvm import load_llvm

        found = _modules[artifact.source] = load_llvm(artifact.source)
    return found


def assembly(artifact: Artifact) -> str:
    """The machine code of an artifact as text, with the source lines that it comes from."""
    from tilelang.backends.llvm import assembly_of

    return assembly_of(artifact.source, artifact.files)


def run(artifact: Artifact, values: Sequence[Any], dims: Mapping[str, int]) -> None:
    """Run the launches of a program on arguments in the order of ``signature.params``. ``dims``: the sizes."""
    host = module_of(artifact)
    _register()
    names = {
        param.name: _number(param.dtype, value) if param.kind == "scalar" else value
        for param, value in zip(artifact.signature.params, values, strict=True)
    }
    with _lock:
        _failures.clear()
    workspaces: dict[str, Any] = {}
    for kernel in artifact.kernels:
        function = _function(host, kernel.symbol)
        function(*[_argument(argument, names, dims, workspaces) for argument in kernel.arguments])
    with _lock:
        if _failures:
            raise AssertionError(_failures[0])


def _function(host: Any, symbol: str) -> Any:
    """Looking a function up costs more than calling it."""
    key = (id(host), symbol)
    known = _functions.get(key)
    if known is None:
        known = _functions[key] = (host, host[symbol])
    return known[1]


def _number(dtype: str, value: Any) -> int | float:
    return float(value) if dtype.startswith(("float", "bfloat")) else int(value)


def _pointer(value: Any) -> int | None:
    """Where an array begins; ``None`` if the value is none."""
    try:
        return value.data_ptr()  # PyTorch
    except AttributeError:
        pass
    try:
        return value.__array_interface__["data"][0]  # NumPy
    except (AttributeError, TypeError, KeyError):
        array = view(value)
        return None if array is None else array.pointer


def _argument(
    argument: Argument, values: Mapping[str, Any], dims: Mapping[str, int], workspaces: dict[str, Any]
) -> Any:
    if argument.kind == "dim":
        return dims[argument.name]
    if argument.kind == "workspace":
        memory = workspaces.get(argument.name)
        if memory is None:
            count = 1
            for extent in argument.shape:
                count *= value_of(extent, dims)
            size = max(DType(argument.dtype).bytes_of(count), 1)
            memory = workspaces[argument.name] = ctypes.create_string_buffer(size + 64)
        start = ctypes.addressof(memory)
        return ctypes.c_void_p(start + -start % 64)
    value = values[argument.name]
    if value is None:
        return ctypes.c_void_p(0)
    if argument.dtype != "handle" and isinstance(value, (int, float)):
        return value
    pointer = _pointer(value)
    return ctypes.c_void_p(int(value) if pointer is None else pointer)


# --- what running code calls ------------------------------------------------------------------------------------

_registered = False


def _register() -> None:
    global _registered  # noqa: PLW0603  # once in a process
    if _registered:
        return
    import tvm_ffi

    library: Any = tvm_ffi
    library.register_global_func("tilelang.cpu.print", _print, override=True)
    library.register_global_func("tilelang.cpu.print_element", _print_element, override=True)
    library.register_global_func("tilelang.cpu.assertion_failed", _failed, override=True)
    _registered = True


def _print(message: str, *values: object) -> None:
    text = " ".join([*([str(message)] if message else []), *map(str, values)])
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _print_element(name: str, value: object, *indices: int) -> None:
    place = ", ".join(map(str, indices))
    sys.stdout.write(f"{name}[{place}] = {value}\n")


def _failed(message: str) -> None:
    with _lock:
        if len(_failures) < 1:
            _failures.append(str(message))
