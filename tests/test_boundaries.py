"""Which package may import which.

`tilelang` <- `tilelang_analyzers` <- `tilelang_lsp`, never the other way; within `tilelang`, the parts that a check
needs import no compiler, no tensor library and no server library. Import statements are read from the source of every
module, inside functions too, and the light packages are then imported in a fresh interpreter.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = {
    "tilelang": ROOT / "tilelang",
    "tilelang_analyzers": ROOT / "analyzers" / "tilelang_analyzers",
    "tilelang_lsp": ROOT / "lsp" / "tilelang_lsp",
}

HEAVY = ("tvm", "tvm_ffi", "torch", "numpy", "cupy", "cuda")
SERVER = ("pygls", "lsprotocol")
TEST_ONLY = ("pytest", "hypothesis", "_pytest")
LIGHT_PARTS = ("language", "syntax", "frontend", "ir", "passes", "targets")
"""Parts of `tilelang` that a check needs."""
TVM_PARTS = ("lower", "backends", "runtime", "autotune")
"""Parts of `tilelang` that may import TVM."""
LSP_PARTS = ("handlers", "server")
"""Parts of `tilelang_lsp` that may know LSP types."""


@dataclass(frozen=True)
class Import:
    module: str
    imported: str
    line: int

    def __str__(self) -> str:
        return f"{self.module}:{self.line} imports {self.imported}"


def modules(package: str) -> dict[str, Path]:
    """Dotted names of a package's modules and their files."""
    root = SOURCES[package]
    names: dict[str, Path] = {}
    for path in sorted(root.rglob("*.py")):
        parts = (package, *path.relative_to(root).with_suffix("").parts)
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def imports_of(module: str, path: Path) -> list[Import]:
    """Every absolute name that a module imports, relative imports resolved, type-checking blocks left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found: list[Import] = []
    for node in runtime_nodes(tree):
        if isinstance(node, ast.Import):
            found += [Import(module, alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parents, *([base] if base else [])])
            found += [Import(module, f"{base}.{alias.name}", node.lineno) for alias in node.names]
    return found


def runtime_nodes(tree: ast.AST) -> list[ast.AST]:
    """All nodes but those under `if TYPE_CHECKING:`, which the interpreter never runs."""
    nodes: list[ast.AST] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)
    return nodes


def all_imports(package: str, *parts: str) -> list[Import]:
    """Imports of a package, or of some of its parts."""
    prefixes = tuple(f"{package}.{part}" for part in parts) or (package,)
    return [
        found
        for module, path in modules(package).items()
        if any(module == prefix or module.startswith(f"{prefix}.") for prefix in prefixes)
        for found in imports_of(module, path)
    ]


def offenders(imports: list[Import], forbidden: tuple[str, ...]) -> list[str]:
    return [
        str(found)
        for found in imports
        if any(found.imported == name or found.imported.startswith(f"{name}.") for name in forbidden)
    ]


def test_the_packages_are_where_this_test_looks() -> None:
    assert len(modules("tilelang")) > 20
    assert sum(bool(all_imports("tilelang", part)) for part in LIGHT_PARTS) > 4
    assert "tilelang_analyzers" in modules("tilelang_analyzers")
    assert "tilelang_lsp" in modules("tilelang_lsp")
    assert any(found.imported.startswith("tilelang.targets.") for found in all_imports("tilelang", "targets"))


def test_the_core_imports_neither_analyzers_nor_server() -> None:
    assert offenders(all_imports("tilelang"), ("tilelang_analyzers", "tilelang_lsp", *SERVER)) == []


def test_analyzers_do_not_import_the_server() -> None:
    assert offenders(all_imports("tilelang_analyzers"), ("tilelang_lsp", *SERVER)) == []


def test_analyzers_and_server_import_no_compiler() -> None:
    imports = all_imports("tilelang_analyzers") + all_imports("tilelang_lsp")
    assert offenders(imports, HEAVY) == []


@pytest.mark.parametrize("part", LIGHT_PARTS)
def test_what_a_check_needs_is_light(part: str) -> None:
    imports = all_imports("tilelang", part)
    if not imports:
        pytest.skip(f"tilelang.{part} does not exist yet")
    heavier = tuple(f"tilelang.{name}" for name in TVM_PARTS)
    assert offenders(imports, (*HEAVY, *SERVER, *heavier, "jedi")) == []


def test_only_the_compiler_parts_import_tvm() -> None:
    compiler = tuple(f"tilelang.{part}" for part in TVM_PARTS)
    imports = [found for found in all_imports("tilelang") if not found.module.startswith(compiler)]
    assert offenders(imports, ("tvm", "tvm_ffi")) == []


def test_only_handlers_know_lsp_types() -> None:
    allowed = tuple(f"tilelang_lsp.{part}" for part in LSP_PARTS)
    imports = [found for found in all_imports("tilelang_lsp") if not found.module.startswith(allowed)]
    assert offenders(imports, SERVER) == []


@pytest.mark.parametrize("package", SOURCES)
def test_packages_do_not_import_test_libraries(package: str) -> None:
    assert offenders(all_imports(package), TEST_ONLY) == []


RUNS_PROGRAMS = ("tilelang_analyzers.run_file",)
"""`tilelang run` is asked to run a program, and does nothing else; only the command line names its module."""
RUNS_CODE = ("exec", "eval", "__import__", "runpy.run_path", "runpy.run_module", "exec_module")
IMPORTS_BY_NAME = ("import_module", "importlib.import_module")
OWN_NAME = re.compile(r"""f?['"](?:tilelang[.\w]*|\{__name__\})(?:\.|['"]$)""")
"""A module name that starts with a package of this distribution."""
TABLES_OF_OWN_MODULES = {
    "tilelang": "names from the table beside the call",
    "tilelang.frontend.models.package": "names under `tilelang.`, which is this package wherever the checker runs",
    "tilelang_analyzers.config": "the TOML reader",
    "tilelang.live.statements": "imports that a kernel of the running program makes itself",
}
"""Modules that may import a name they compute, and what it is."""
ASKED_TO_RUN = ("tilelang_analyzers.run_file",)
"""`tilelang run FILE` runs the file, as it says."""
TVM_NAME = re.compile(r"""['"]tvm(?:_ffi|\.\w+)*['"]$""")
"""TVM has no types, so the code generators, and its stand-in for programs, import it by its literal name to make its
members of any type."""


def test_nothing_runs_or_imports_what_it_reads() -> None:
    """The checker's promise, in the core and the analyzers: no code from text, no import by a name that was read."""
    calls: list[str] = []
    for package in ("tilelang", "tilelang_analyzers"):
        for module, path in modules(package).items():
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and breaks_promise(node, module) and module not in RUNS_PROGRAMS:
                    calls.append(f"{module}:{node.lineno}: {ast.unparse(node)}")
                names = getattr(node, "module", None)
                if isinstance(node, ast.ImportFrom) and names in RUNS_PROGRAMS:
                    assert module == "tilelang_analyzers.main"
    assert calls == []


def breaks_promise(call: ast.Call, module: str) -> bool:
    function = ast.unparse(call.func)
    if function in IMPORTS_BY_NAME:
        name = ast.unparse(call.args[0])
        generates = module.startswith(("tilelang.lower.", "tilelang.backends.", "tilelang.tvm"))
        return not (module in TABLES_OF_OWN_MODULES or OWN_NAME.match(name) or (generates and TVM_NAME.match(name)))
    return function in RUNS_CODE and module not in ASKED_TO_RUN


@pytest.mark.parametrize(
    ("call", "breaks"),
    [
        ("exec(text)", True),
        ("import_module(name)", True),
        ("import_module(f'{name}.tilelang')", True),
        ("import_module('torch')", True),
        ("import_module(f'tilelang.language.{name}')", False),
        ("import_module(f'{__name__}.{name}')", False),
        ("import_module('tilelang.language')", False),
        ("compile(text)", False),
    ],
)
def test_what_breaks_the_promise(call: str, breaks: bool) -> None:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    assert breaks_promise(node, "tilelang.frontend.evaluator") is breaks


def test_importing_what_a_check_needs_loads_nothing_heavy() -> None:
    light = tuple(f"tilelang.{part}" for part in LIGHT_PARTS)
    names = [name for name in modules("tilelang") if name.startswith(light)] + list(modules("tilelang_analyzers"))
    names = [name for name in names if not name.endswith("__main__")]
    assert len(names) > 20
    program = "\n".join(
        [
            "import sys",
            # Packages may load something whenever Python starts.
            "before = set(sys.modules)",
            *(f"import {name}" for name in names),
            f"print(*[name for name in {(*HEAVY, *SERVER)!r} if name in sys.modules and name not in before])",
        ]
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import torch.nn", ["torch.nn"]),
        ("def f():\n    from numpy import array", ["numpy.array"]),
        ("from . import b", ["pkg.sub.b"]),
        ("from ..x import y", ["pkg.x.y"]),
        ("if TYPE_CHECKING:\n    import tvm\nelse:\n    import re", ["re"]),
    ],
)
def test_the_reader_of_imports(tmp_path: Path, source: str, expected: list[str]) -> None:
    path = tmp_path / "module.py"
    path.write_text(source, encoding="utf-8")
    assert [found.imported for found in imports_of("pkg.sub.module", path)] == expected
