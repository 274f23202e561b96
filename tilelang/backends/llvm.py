"""Functions of the CPU through LLVM: the passes of TVM that a flat function still needs, and the texts that come out.

The passes that simplify are left out: they reason about floats as if there were no NaN, and LLVM does the rest better.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from tilelang.lower import tir

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class HostCode(NamedTuple):
    """``module`` can be called; ``llvm`` and ``assembly`` are its texts."""

    module: Any
    llvm: str
    assembly: str


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


def compile_host(functions: Mapping[str, Any], files: Sequence[str]) -> HostCode:
    """Machine code of functions whose parameters are pointers and numbers. ``files``: the sources, by the number that
    the columns of positions carry. An error inside of LLVM ends the process, as LLVM decides."""
    target = host_target()
    transform = tir.tirx.transform
    module = tir.tvm.ir.IRModule({name: _on_cpu(function) for name, function in functions.items()})
    for step in (
        transform.BindTarget(target),
        transform.FlattenBuffer(),
        transform.VectorizeLoop(True),
        transform.UnrollLoop(),
        transform.AnnotateEntryFunc(),
        transform.MakePackedAPI(),
        transform.LowerTVMBuiltin(),
        transform.LowerIntrin(),
    ):
        module = step(module)
    made = tir.tvm.get_global_func("target.build.llvm")(module, target)
    return HostCode(made, str(made.inspect_source("ll")), with_files(str(made.inspect_source("asm")), files))


def _on_cpu(function: Any) -> Any:
    """The function with the device that memory is allocated on."""
    tirx, text = tir.tirx, tir.tvm.ir.StringImm
    body = tirx.AttrStmt(text("default"), "device_type", tir.const(1), function.body)
    body = tirx.AttrStmt(text("default"), "device_id", tir.const(0), body)
    made = tirx.PrimFunc(function.params, body)
    for key, value in function.attrs.items():
        made = made.with_attr(key, value)
    return made


_LOCATION = re.compile(r"^\s*\.loc\s+\d+ (\d+) (\d+)(.*)$")


def with_files(assembly: str, files: Sequence[str]) -> str:
    """Assembly whose positions name the source files. TVM writes one file only; the columns say which it is."""
    found: list[str] = []
    for line in assembly.split("\n"):
        if line.lstrip().startswith(".file\t1 "):
            found += [f'\t.file\t{number} "{path}"' for number, path in enumerate(files, start=1)]
            continue
        match = _LOCATION.match(line)
        if match is None:
            found.append(line)
        elif match[1] != "0":
            found.append(f"\t.loc\t{match[2]} {match[1]} 0")
    return "\n".join(found)
