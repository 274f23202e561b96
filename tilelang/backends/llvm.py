"""Functions of the CPU through LLVM: the passes of TVM that a flat function still needs, and the texts that come out.

The passes that simplify are left out: they reason about floats as if there were no NaN, and LLVM does the rest better.
"""

from __future__ import annotations

import re
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tilelang.backends.positions import with_files, with_records
from tilelang.lower import tir

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class HostCode(NamedTuple):
    """``module`` can be called; ``llvm`` is its text."""

    module: Any
    llvm: str


@cache
def host_cpu() -> str:
    """LLVM's name of this machine's processor."""
    from tvm.target import codegen  # type: ignore[import-untyped]  # TVM ships no types

    found: Any = codegen
    return str(found.llvm_get_system_cpu()) or "generic"


def host_target() -> Any:
    """The processor of this machine as a target of TVM."""
    target = tir.tvm.target.Target({"kind": "llvm", "mcpu": host_cpu()})
    return target.with_host(target)


def compile_host(functions: Mapping[str, Any]) -> HostCode:
    """Code of functions whose parameters are pointers and numbers. Machine code is made when one is first called. An
    error inside of LLVM ends the process, as LLVM decides."""
    target = host_target()
    transform = tir.tirx.transform
    module = tir.tvm.ir.IRModule({name: _on_cpu(function) for name, function in functions.items()})
    for step in (
        transform.BindTarget(target),
        transform.VectorizeLoop(True),
        transform.UnrollLoop(),
        transform.AnnotateEntryFunc(),
        transform.MakePackedAPI(),
        transform.LowerTVMBuiltin(),
        transform.LowerIntrin(),
    ):
        module = step(module)
    made = tir.tvm.get_global_func("target.build.llvm")(module, target)
    return HostCode(made, with_records(str(made.inspect_source("ll"))))


def load_llvm(text: str) -> Any:
    """The module of LLVM text, for the processor of this machine even if it was made for another."""
    import tvm_ffi

    library: Any = tvm_ffi
    text = re.sub(r'("target-cpu"=")[^"]*(")', rf"\g<1>{host_cpu()}\g<2>", text)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "kernel.ll")
        file.write_text(text, encoding="utf-8")
        return library.load_module(str(file))


def assembly_of(text: str, files: Sequence[str]) -> str:
    """The machine code of LLVM text, as text. ``files``: the sources, by the number that columns carry."""
    return with_files(str(load_llvm(text).inspect_source("asm")), files)


def _on_cpu(function: Any) -> Any:
    """The function with the device that memory is allocated on."""
    tirx, text = tir.tirx, tir.tvm.ir.StringImm
    body = tirx.AttrStmt(text("default"), "device_type", tir.const(1), function.body)
    body = tirx.AttrStmt(text("default"), "device_id", tir.const(0), body)
    made = tirx.PrimFunc(function.params, body)
    for key, value in function.attrs.items():
        made = made.with_attr(key, value)
    return made
