"""Modules: which import names a file of the project, and what packages outside it provide.

Project files are parsed and evaluated, never imported. Everything else is an :class:`External` name, with a model
where one is known.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import is_sequence
from tilelang.frontend.scoping import kept, lookup, names_used
from tilelang.frontend.signals import Exhausted, UserError
from tilelang.frontend.values import (
    MISSING,
    Class,
    ContextFactory,
    External,
    Function,
    Jit,
    Kernel,
    Macro,
    Model,
    Module,
    Partial,
    PrimFunc,
    StaticMethod,
)
from tilelang.ir.span import NOWHERE
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.sources import SourceCache
    from tilelang.ir.span import Span

_NEVER_LOCAL = frozenset((*sys.stdlib_module_names, "tilelang", "tvm", "torch", "numpy", "triton", "pytest", "jax"))
"""Top-level names that are never looked up among the project's files."""

_MAX_NAME = 500
"""Characters of a module name that may be one: programs make up names for ``importlib.import_module``."""

MODULE_BUDGET = 150_000
"""Steps for the code of one imported module."""


class ModuleTable:
    """The modules of one evaluation."""

    def __init__(self, sources: SourceCache, root: Path) -> None:
        self.sources = sources
        self.root = root
        self.loaded: dict[str, Module] = {}
        self._relevant: dict[int, bool] = {}
        self._located: dict[tuple[str, str], Path | None] = {}
        self._yields: dict[str, bool] = {}
        self.bound_names: dict[str, frozenset[str] | None] = {}
        """Names that each file binds, filled where they are asked for."""

    # --- finding ----------------------------------------------------------------------------------------------

    def search_roots(self, path: str) -> list[Path]:
        """Folders in which a file's absolute imports are looked up: its own, those above it up to the root, ``src``."""
        folder = Path(path).parent
        roots = [folder]
        while folder not in (self.root, folder.parent):
            folder = folder.parent
            roots.append(folder)
        roots += [self.root, self.root / "src", self.root / "python"]
        return list(dict.fromkeys(roots))

    def locate(self, name: str, importer: str) -> Path | None:
        """The project file that an absolute import names, if any."""
        key = (name, str(Path(importer).parent))
        if key not in self._located:
            self._located[key] = self._locate(name, importer)
        return self._located[key]

    def _locate(self, name: str, importer: str) -> Path | None:
        parts = name.split(".")
        if parts[0] in _NEVER_LOCAL or len(name) > _MAX_NAME or not all(part.isidentifier() for part in parts):
            return None
        for root in self.search_roots(importer):
            found = _module_file(root.joinpath(*parts))
            if found is not None:
                return found
        return None

    def named(self, name: str) -> Module | None:
        """The module that ``sys.modules`` has under a name."""
        return next((module for module in self.loaded.values() if module.vars.get("__name__") == name), None)

    def resolve(self, ev: Evaluator, name: str, importer: Module) -> Any:
        """The value of ``import name``."""
        path = self.locate(name, importer.path)
        if path is None:
            return _external(name)
        return self.load(ev, path, name)

    def resolve_from(self, ev: Evaluator, name: str | None, level: int, importer: Module) -> Any:
        """The module of ``from name import ...``."""
        if level == 0:
            return self.resolve(ev, name or "", importer)
        folder = Path(importer.path).parent
        for _ in range(level - 1):
            folder = folder.parent
        target = folder.joinpath(*(name.split(".") if name else ()))
        path = _module_file(target)
        if path is None:
            return External(f"?.{name or ''}")
        dotted = importer.name.rsplit(".", level)[0] if "." in importer.name else ""
        return self.load(ev, path, f"{dotted}.{name}" if name else dotted)

    def imported_file(self, name: str, importer: str) -> Path | None:
        """The project file of a module name, relative if it starts with dots."""
        bare = name.lstrip(".")
        level = len(name) - len(bare)
        if level == 0:
            return self.locate(bare, importer)
        folder = Path(importer).parent
        for _ in range(level - 1):
            folder = folder.parent
        return _module_file(folder.joinpath(*bare.split("."))) if bare else None

    def load(self, ev: Evaluator, path: Path, name: str) -> Module:
        """The module of a project file, evaluated on first use. A cycle sees the module as far as it got."""
        key = str(path)
        module = self.loaded.get(key)
        if module is None:
            module = Module(name, key)
            module.vars["__name__"] = name or path.stem
            module.vars["__file__"] = key
            self.loaded[key] = module
            self._run(ev, module)
        return module

    def _run(self, ev: Evaluator, module: Module) -> None:
        from tilelang.frontend.evaluator import module_scope

        tree = self.sources.tree(module.path)
        if tree is None:
            return
        module.state = "running"
        unsure, ev.unsure = ev.unsure, 0
        phase, ev.phase_one = ev.phase_one, False
        try:
            with ev.budget(MODULE_BUDGET):
                ev.exec(tree.body, module_scope(module))
        except UserError as error:
            ev.trace(f"the module stops with {error.name}: {error.message}", error.span)
        except Exhausted:
            ev.trace("the module's code is too long to follow to its end", NOWHERE)
            if ev.steps > ev.limit:
                raise
        finally:
            module.state = "done"
            ev.unsure, ev.phase_one = unsure, phase

    def mentions_yield(self, path: str) -> bool:
        """Whether the text of a file has the word; also if it cannot be read."""
        if path not in self._yields:
            source = self.sources.source(path)
            self._yields[path] = source is None or "yield" in source.text
        return self._yields[path]

    # --- members ----------------------------------------------------------------------------------------------

    def member(self, ev: Evaluator, owner: Any, name: str, span: Span) -> Any:
        """An attribute of a module or of an external name."""
        if isinstance(owner, Module):
            if name in owner.vars:
                return owner.vars[name]
            path = _module_file(Path(owner.path).parent / name) if Path(owner.path).name == "__init__.py" else None
            if path is not None:
                return self.load(ev, path, f"{owner.name}.{name}" if owner.name else name)
            found = owner.vars.get("__getattr__", MISSING)
            return UNKNOWN if owner.state == "done" or found is not MISSING else MISSING
        if isinstance(owner, External):
            from tilelang.frontend.models.registry import external_member

            return external_member(ev, owner, name, span)
        return UNKNOWN

    def public_names(self, ev: Evaluator, source: Any) -> Iterator[tuple[str, Any]]:
        """What ``from module import *`` binds."""
        if isinstance(source, Module):
            exported = source.vars.get("__all__")
            if is_sequence(exported):
                yield from ((name, source.vars[name]) for name in exported if name in source.vars)
            else:
                yield from ((name, value) for name, value in source.vars.items() if not name.startswith("_"))
        elif isinstance(source, External):
            from tilelang.frontend.models.registry import external_names

            yield from external_names(ev, source)

    # --- relevance --------------------------------------------------------------------------------------------

    def reaches_kernels(self, ev: Evaluator, function: Function) -> bool:
        """Whether a function can reach the language: only such functions get the full step budget."""
        key = id(function.node)
        known = self._relevant.get(key)
        if known is not None:
            return known
        self._relevant[key] = False
        spec = function.node.args
        parameters = {arg.arg for arg in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}
        result = bool(parameters & kept(function.node, "_called", lambda: _called_names(function.node))) or any(
            self._is_relevant(ev, lookup(function.scope, name)) for name in names_used(function.node)
        )
        self._relevant[key] = result
        return result

    def _is_relevant(self, ev: Evaluator, value: Any) -> bool:
        if isinstance(value, Function):
            return self.reaches_kernels(ev, value)
        if isinstance(value, (Jit, Macro, PrimFunc, Kernel, Module)):
            return True
        if isinstance(value, External):
            return value.name.startswith("tilelang")
        if isinstance(value, (ContextFactory, Partial)):
            return self._is_relevant(ev, value.function)
        if isinstance(value, Class):
            members = (m.function if isinstance(m, StaticMethod) else m for m in value.vars.values())
            return any(isinstance(m, Function) and self.reaches_kernels(ev, m) for m in members)
        return isinstance(value, Model) and value.name.startswith("tilelang.")


def is_present(ev: Evaluator, name: str, importer: str) -> bool:
    """Whether an import certainly finds its module: one of the project, or a package that is taken to be installed."""
    return name.split(".", 1)[0] in _PRESENT or ev.modules.locate(name, importer) is not None


_PRESENT = frozenset((*sys.stdlib_module_names, "numpy", "pytest", "tilelang", "torch", "tvm"))
"""Packages that are taken to be installed."""


def _called_names(node: ast.AST) -> frozenset[str]:
    """Names that a function calls."""
    calls = (inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call))
    return frozenset(function.id for function in calls if isinstance(function, ast.Name))


def _module_file(stem: Path) -> Path | None:
    source = stem.with_name(stem.name + ".py")
    if source.is_file():
        return source
    package = stem / "__init__.py"
    return package if package.is_file() else None


def _external(name: str) -> Any:
    return External(name)
