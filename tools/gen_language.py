"""Write the generated parts of ``tilelang/language`` from a description of the public names.

    python tools/gen_language.py API.json

``API.json`` lists each public name with its kind, parameters, category, origin and use count. Written are

- ``tilelang/language/opaque/*.py``: a function or class for each name that no module models,
- ``tilelang/language/catalog.py``: where each name lives and what kind of thing it is,
- ``tilelang/language/__init__.py`` and ``dtypes.pyi``: what type checkers read,
- ``tests/language/data/signatures.json``: names and parameters, for the tests.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LANGUAGE = ROOT / "tilelang" / "language"
SIGNATURES = ROOT / "tests" / "language" / "data" / "signatures.json"
NOTICE = "Written by tools/gen_language.py; do not edit."

# Modules that help to build the language and define none of its names.
_HELPERS = {"__init__", "arith", "binding", "catalog", "context", "frames", "registry", "suggest", "values"}

# Names of upstream's modules, which programs reach as attributes of the language.
# A module must not have the name of a function of the language: importing it would hide the function.
_MODULES = {
    "annotations": "annotate",
    "atomic": "atomic",
    "builtin": "sync",
    "common": "alloc",
    "copy_op": "copies",
    "customize": "shape",
    "dtypes": "dtypes",
    "eager": "decorators",
    "experimental": "products",
    "fill_op": "fills",
    "frame": "frames",
    "gemm_op": "products",
    "kernel": "kernel",
    "logical": "reductions",
    "loop": "loops",
    "math_intrinsics": "fastmath",
    "meta": "decorators",
    "overrides": "calls",
    "proxy": "tensors",
    "reduce_op": "reductions",
    "scan_op": "scan",
    "symbolics": "symbols",
    "tile_schedule": "opaque.kernel",
    "tir": "script",
    "utils": "shape",
    "warp_specialize": "schedule",
}
_DTYPE_FUNCTIONS = re.compile(r"bfloat16x\d+$")
_DEFAULTS = {"<GemmWarpPolicy.Square: 0>": "0", "<MISSING>": "None", "T.uint32(4294967295)": "0xFFFFFFFF"}


def main() -> None:
    """Write everything and format it."""
    api = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    entries = {entry["name"]: entry for entry in api["names"] if entry["namespace"] == "tilelang.language"}
    homes = _modelled(entries)
    docs = _docs()
    opaque = {name: entry for name, entry in entries.items() if name not in homes}
    written = [*_write_opaque(opaque, docs, homes)]
    written += [_write_catalog(entries, homes), _write_init(entries, homes), _write_dtype_stub(entries)]
    _write_signatures(api["names"])
    for command in (["format", "--quiet"], ["check", "--fix", "--quiet"], ["format", "--quiet"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, *map(str, written)], check=True)


def _modelled(entries: dict[str, Any]) -> dict[str, str]:
    """The module, relative to ``tilelang.language``, of each name that one of the modules there defines."""
    homes: dict[str, str] = {}
    for path in sorted(LANGUAGE.glob("*.py")):
        if path.stem in _HELPERS:
            continue
        for name in _defined(ast.parse(path.read_text(encoding="utf-8")).body):
            if name in entries and entries[name]["kind"] not in ("module", "dtype"):
                homes.setdefault(name, path.stem)
    for name, entry in entries.items():
        if entry["kind"] == "dtype" or _DTYPE_FUNCTIONS.match(name):
            homes[name] = "dtypes"
        elif entry["kind"] == "module":
            homes[name] = _MODULES[name]
        elif entry["kind"].startswith("absent") and name not in homes:
            homes[name] = "removed"
    homes["dtype"] = "dtypes"
    homes["Any"] = "script"
    return homes


def _defined(body: list[ast.stmt]) -> list[str]:
    names: list[str] = []
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.If):
            names += _defined(node.orelse or node.body)
    return names


def _docs() -> dict[str, tuple[str, str]]:
    """The type and the sentence of each name in ``language_docs.txt``; the type is empty for an effect."""
    found: dict[str, tuple[str, str]] = {}
    for line in (ROOT / "tools" / "language_docs.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            head, sentence = line.split(": ", 1)
            name, _, result = head.partition(" = ")
            found[name] = (result, sentence)
    return found


# --- opaque modules -------------------------------------------------------------------------------------------------


def _write_opaque(opaque: dict[str, Any], docs: dict[str, tuple[str, str]], homes: dict[str, str]) -> list[Path]:
    """One module for each category; fills in ``homes``."""
    by_category: dict[str, list[Any]] = defaultdict(list)
    for entry in opaque.values():
        by_category[_file_name(entry["category"])].append(entry)
    written: list[Path] = []
    for category, members in sorted(by_category.items()):
        lines = [f'"""{category.capitalize()} operations that are not modelled. {NOTICE}"""', ""]
        lines += ["from __future__ import annotations", "", "from typing import Any", ""]
        lines += ["from tilelang.ir.unknown import UNKNOWN"]
        lines += ["from tilelang.language.opaque import OpaqueObject, opaque, opaque_value", ""]
        for entry in sorted(members, key=lambda member: member["name"]):
            name = entry["name"]
            homes[name] = f"opaque.{category}"
            result, sentence = docs[name]
            lines += [
                "",
                *(_class(entry, sentence) if entry["kind"] == "class" else _function(entry, result, sentence)),
            ]
        path = LANGUAGE / "opaque" / f"{category}.py"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        written.append(path)
    return written


def _file_name(category: str) -> str:
    return {"barrier/sync": "barriers", "cluster/TMA": "cluster", "copy": "copies"}.get(category, category)


def _function(entry: Any, result: str, sentence: str) -> list[str]:
    decorator = f'@opaque_value("{result}")' if result else "@opaque"
    head = f"def {entry['name']}({_parameters(entry['params'])}) -> Any:"
    return [decorator, head, f'    """{sentence}"""', "    return UNKNOWN", ""]


def _class(entry: Any, sentence: str) -> list[str]:
    lines = [f"class {entry['name']}(OpaqueObject):", f'    """{sentence}"""', ""]
    parameters = _parameters(entry["params"] or [])
    lines += [
        f"    def __init__(self{', ' if parameters else ''}{parameters}) -> None:",
        "        self.keep(locals())",
        "",
    ]
    return lines


def _parameters(params: list[Any]) -> str:
    parts: list[str] = []
    keyword_only = False
    for param in params:
        kind = param["kind"]
        if kind == "VAR_POSITIONAL":
            parts.append(f"*{param['name']}: Any")
            keyword_only = True
            continue
        if kind == "VAR_KEYWORD":
            parts.append(f"**{param['name']}: Any")
            continue
        if kind == "KEYWORD_ONLY" and not keyword_only:
            parts.append("*")
            keyword_only = True
        default = param["default"]
        value = "" if default is None else f" = {_default(default)}"
        parts.append(f"{param['name']}: Any{value}")
    return ", ".join(parts)


def _default(text: str) -> str:
    if text in _DEFAULTS:
        return _DEFAULTS[text]
    match = re.match(r"dtype\('(\w+)'\)$", text)
    return repr(match[1]) if match else text


# --- tables ---------------------------------------------------------------------------------------------------------


def _status(entry: Any) -> str:
    return "removed" if entry["kind"].startswith("absent") else "current"


def _kind(entry: Any) -> str:
    if _DTYPE_FUNCTIONS.match(entry["name"]):
        return "dtype"
    if entry["name"] in ("Tensor", "StridedTensor", "Buffer", "FragmentBuffer", "SharedBuffer", "LocalBuffer"):
        return "annotation"
    kind = entry["kind"]
    return "removed" if kind.startswith("absent") else "function" if kind == "callable-object" else kind


def _write_catalog(entries: dict[str, Any], homes: dict[str, str]) -> Path:
    lines = [f'"""Where the names of the language live. {NOTICE}"""', "", "from __future__ import annotations", ""]
    lines += ["NAMES: dict[str, tuple[str, str, str, int, bool]] = {"]
    for name, entry in sorted(entries.items()):
        wrapper = (entry["origin"] or "").endswith("tvm-script")
        row = (homes[name], _kind(entry), entry["category"], entry["total_occ"], wrapper)
        lines.append(f"    {name!r}: {row!r},".replace("'", '"'))
    lines += [
        "}",
        '"""Name: module in ``tilelang.language``, kind, category, uses in public programs, and whether it wraps a',
    ]
    lines += ['function of TVM script, which takes an extra ``dtype`` argument."""', ""]
    path = LANGUAGE / "catalog.py"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def _write_init(entries: dict[str, Any], homes: dict[str, str]) -> Path:
    by_module: dict[str, list[str]] = defaultdict(list)
    modules: list[tuple[str, str]] = []
    for name in sorted(entries):
        if entries[name]["kind"] == "module":
            modules.append((name, homes[name]))
        elif homes[name] != "removed" or name.startswith("determine"):
            by_module[homes[name]].append(name)
    lines = ["# ruff: noqa: F401, I001", f'"""The language of kernels: ``import tilelang.language as T``. {NOTICE}', ""]
    lines += ["A name is imported when it is first asked for, so that a kernel pays for what it uses only.", '"""', ""]
    # No ``from __future__ import annotations``: it would define a name ``annotations``, which is a module of upstream.
    lines += ["from typing import TYPE_CHECKING", "", "if TYPE_CHECKING:"]
    for module, names in sorted(by_module.items()):
        lines.append(f"    from tilelang.language.{module} import (")
        lines += [f"        {name} as {name}," for name in names]
        lines.append("    )")
    for name, module in modules:
        package, _, leaf = f"tilelang.language.{module}".rpartition(".")
        lines += [f"    from {package} import {leaf} as _{name}", f"    {name} = _{name}"]
    # Type checkers must not see this function: it would make every misspelt name a value of unknown type.
    lines += ["else:", "", "    def __getattr__(name: str) -> object:"]
    lines += ["        from tilelang.language.registry import load", "", "        found = load(name)"]
    lines += ["        globals()[name] = found", "        return found", "", ""]
    lines += ["def __dir__() -> list[str]:", "    from tilelang.language.registry import all_names", ""]
    lines += ["    return sorted({*globals(), *all_names()})", ""]
    path = LANGUAGE / "__init__.py"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


_STUB_HEAD = '''
from typing import Any

from tilelang.ir.dtype import DType
from tilelang.language.values import Scalar

class dtype(type, DType):  # pyright: ignore
    """An element type. Called with a value, it converts the value; called with a name, ``dtype`` gives that type."""

    def __new__(cls, name: Any, *args: Any) -> dtype: ...
    def __init__(self, name: Any, *args: Any) -> None: ...
    def __call__(self, *values: Any) -> Any: ...

AnyDType = DType | str | type

def names() -> tuple[str, ...]: ...
def as_dtype(value: object) -> DType | None: ...
def to_dtype(function: str, value: object, argument: str = ...) -> DType: ...
def is_float4_e2m1fn(value: Any) -> bool: ...
def is_float4_e2m1_unpacked(value: Any) -> bool: ...
def is_float4(value: Any) -> bool: ...
def is_f8f6f4_family(value: Any) -> bool: ...
def get_tvm_dtype(value: Any) -> DType: ...
def validate_gemm_ab_dtypes(
    a_dtype: Any, b_dtype: Any, *, a_in_tmem: bool = ..., allow_f8f6f4_mixed: bool = ...
) -> None: ...
'''


def _write_dtype_stub(entries: dict[str, Any]) -> Path:
    lines = [
        f"# {NOTICE}",
        "# For type checkers a dtype is a class, so that it may annotate a scalar parameter: ``n: T.int32``.",
    ]
    lines += [_STUB_HEAD]
    for name, entry in sorted(entries.items()):
        if _kind(entry) == "dtype":
            lines.append(f"class {name}(Scalar, metaclass=dtype): ...  # pyright: ignore")
    path = LANGUAGE / "dtypes.pyi"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _write_signatures(names: list[Any]) -> None:
    """A compact copy of what the tests compare with: name -> list of ``name[=default]`` with ``*`` marks."""
    table: dict[str, dict[str, Any]] = {"tilelang.language": {}, "tilelang": {}}
    for entry in names:
        params = None
        if entry["params"] is not None:
            params = [[param["name"], param["kind"], param["default"]] for param in entry["params"]]
        table[entry["namespace"]][entry["name"]] = [entry["kind"], params]
    SIGNATURES.parent.mkdir(parents=True, exist_ok=True)
    SIGNATURES.write_text(json.dumps(table, separators=(",", ":"), sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
