"""From CUDA C++ to PTX and a cubin by NVRTC, NVIDIA's compiler library. It needs neither a driver nor a toolkit.

Sources: NVRTC user guide of CUDA 12.9 (options, functions, formats of logs).
"""

from __future__ import annotations

import ctypes
import re
import struct
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from tilelang.backends.cuda import messages
from tilelang.backends.cuda.resources import remarks_of_log, resources_of_log
from tilelang.backends.cuda.toolchain import header_folders, nvrtc_libraries
from tilelang.backends.store import Store, digest
from tilelang.ir.problem import Problem
from tilelang.ir.span import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from tilelang.backends.artifact import Resources

_LENGTHS = struct.Struct("<3Q")
SOURCE_NAME = "kernel.cu"
"""How logs call text that is under no ``#line`` directive."""
MISSING = (
    "NVRTC is not installed, so CUDA code cannot be compiled: pip install 'tilelang-suite[cuda]' "
    "(there is no NVRTC for macOS)"
)


@dataclass(frozen=True, slots=True)
class CudaBinary:
    """``ptx`` and ``cubin`` are None if they could not be made; ``problems`` say why, at the lines of ``#line``.
    ``resources`` are by function. ``remarks``: what the assembler says beside its figures."""

    ptx: str | None
    cubin: bytes | None
    log: str
    problems: tuple[Problem, ...] = ()
    resources: Mapping[str, Resources] = field(default_factory=dict[str, "Resources"])
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Library:
    """A loaded NVRTC. ``archs`` are the compute capabilities that it compiles for, as numbers: 75, 90, 120."""

    path: Path
    version: tuple[int, int]
    archs: tuple[int, ...]
    functions: ctypes.CDLL


@cache
def load(path: Path) -> Library | str:
    """The library in a file, or why it cannot be used."""
    try:
        functions = ctypes.CDLL(str(path))
        major, minor, count = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        if functions.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)) != 0:
            return f"{path} does not tell its version"
        if functions.nvrtcGetNumSupportedArchs(ctypes.byref(count)) != 0:
            return f"{path} does not tell what it compiles for"
        archs = (ctypes.c_int * count.value)()
        functions.nvrtcGetSupportedArchs(archs)
    except (OSError, AttributeError) as error:
        return f"{path} cannot be loaded: {error}"
    return Library(path, (major.value, minor.value), tuple(archs), functions)


def library_for(arch: str) -> Library | str:
    """The first library that compiles for ``sm_75`` or ``sm_90a``, or why there is none."""
    digits = re.match(r"(?:sm|compute)_(\d+)", arch)
    if digits is None:
        return f"{arch} is no CUDA architecture"
    libraries = [load(path) for path in nvrtc_libraries()]
    usable = [it for it in libraries if isinstance(it, Library)]
    if not usable:
        reasons = [it for it in libraries if isinstance(it, str)]
        return reasons[0] if reasons else MISSING
    number = int(digits[1])
    for library in usable:
        if number in library.archs:
            return library
    versions = ", ".join(f"{it.version[0]}.{it.version[1]}" for it in usable)
    return f"NVRTC {versions} does not compile for {arch}"


def version_text(library: Library) -> str:
    return f"{library.version[0]}.{library.version[1]}"


def compile_cuda(
    source: str,
    arch: str,
    *,
    headers: Mapping[str, str] | None = None,
    lineinfo: bool = True,
    options: Sequence[str] = (),
    sources: Collection[str] = (),
    store: Store | None = None,
) -> CudaBinary:
    """Compile CUDA C++ for one GPU, by the name that the assembler takes (``sm_80``, ``sm_90a``). What succeeded is
    kept in a store (default: the user's) and not compiled again.

    ``headers``: texts of headers by the names that ``#include`` them. ``lineinfo``: keep the way from instructions to
    ``#line``. ``options`` are NVRTC's. ``sources``: files that users wrote; a problem in another file has no place.
    """
    library = library_for(arch)
    if isinstance(library, str):
        return CudaBinary(None, None, "", (Problem("compile-error", NOWHERE, {"message": library}),))
    flags = [
        f"-arch={arch}",
        "-std=c++17",
        "-default-device",
        "--ptxas-options=-v",
        *(["-lineinfo"] if lineinfo else []),
        *(f"-I{folder}" for folder in header_folders()),
        *options,
    ]
    headers = headers or {}
    store = Store.default() if store is None else store
    named = (part for item in headers.items() for part in item)
    key = digest(source, *flags, "headers", *named, "nvrtc", version_text(library))
    done = _unpacked(store.get(key))
    if done is None:
        done = _compile(library, source, flags, headers)
        if done.cubin is not None:
            store.put(key, _packed(done))
    if done.cubin is not None:
        return CudaBinary(done.ptx, done.cubin, done.log, (), resources_of_log(done.log), remarks_of_log(done.log))
    ptx = done.ptx
    if ptx is None and messages.is_from_assembler(done.log):
        # The lines of the assembler's complaints are those of the PTX, which a failed run does not hand out.
        virtual = [f"-arch={arch.replace('sm_', 'compute_')}", *flags[1:]]
        ptx = _compile(library, source, virtual, headers).ptx
    return CudaBinary(ptx, None, done.log, messages.problems_of_log(done.log, ptx, sources))


@dataclass(frozen=True, slots=True)
class _Done:
    ptx: str | None
    cubin: bytes | None
    log: str


def _packed(done: _Done) -> bytes:
    """The parts with their lengths in front."""
    parts = [(done.ptx or "").encode(), done.cubin or b"", done.log.encode()]
    return b"".join([_LENGTHS.pack(*map(len, parts)), *parts])


def _unpacked(data: bytes | None) -> _Done | None:
    if data is None or len(data) < _LENGTHS.size:
        return None
    ptx, cubin, _ = _LENGTHS.unpack_from(data)
    rest = data[_LENGTHS.size :]
    text = rest[:ptx].decode()
    return _Done(text or None, rest[ptx : ptx + cubin] or None, rest[ptx + cubin :].decode())


def _compile(library: Library, source: str, options: Sequence[str], headers: Mapping[str, str]) -> _Done:
    """One run. NVRTC works in the calling thread, without Python's lock."""
    nvrtc = library.functions
    program = ctypes.c_void_p()
    count = len(headers)
    texts = (ctypes.c_char_p * count)(*(text.encode() for text in headers.values()))
    names = (ctypes.c_char_p * count)(*(name.encode() for name in headers))
    # NVRTC takes text up to the first zero byte.
    text = source.replace("\0", " ").encode()
    created = nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, SOURCE_NAME.encode(), count, texts, names)
    if created != 0:
        return _Done(None, None, f"NVRTC cannot start: {_error_text(nvrtc, created)}")
    try:
        arguments = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        code = nvrtc.nvrtcCompileProgram(program, len(options), arguments)
        log = _fetch(nvrtc, program, "ProgramLog").rstrip(b"\0").decode(errors="replace")
        if code != 0:
            return _Done(None, None, log.strip() or f"NVRTC failed: {_error_text(nvrtc, code)}")
        ptx = _fetch(nvrtc, program, "PTX").rstrip(b"\0").decode(errors="replace")
        return _Done(ptx or None, _fetch(nvrtc, program, "CUBIN") or None, log)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def _fetch(nvrtc: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> bytes:
    """One result of a compiled program; empty if there is none."""
    size = ctypes.c_size_t()
    if getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size)) != 0 or size.value == 0:
        return b""
    buffer = ctypes.create_string_buffer(size.value)
    return buffer.raw if getattr(nvrtc, f"nvrtcGet{what}")(program, buffer) == 0 else b""


def _error_text(nvrtc: ctypes.CDLL, code: int) -> str:
    nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
    return nvrtc.nvrtcGetErrorString(code).decode()
