"""What is being called while its arguments are typed: an item of the language or a function of the project."""

from __future__ import annotations

import ast
import typing
from dataclasses import dataclass
from inspect import Parameter
from typing import TYPE_CHECKING, Any

from tilelang_lsp.ide.language import item_of, summary
from tilelang_lsp.ide.resolve import home_of

if TYPE_CHECKING:
    from tilelang.language.registry import LanguageItem
    from tilelang_lsp.ide.cursor import Frame
    from tilelang_lsp.session import Snapshot


@dataclass(frozen=True, slots=True)
class Argument:
    """One parameter of what is called. ``choices`` are the strings that its type admits."""

    name: str
    type: str
    default: str
    label: str
    is_variadic: bool
    keyword_only: bool
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Callee:
    name: str
    arguments: tuple[Argument, ...]
    doc: str
    item: LanguageItem | None = None

    def active(self, frame: Frame) -> int | None:
        """The index of the parameter that is being written; None if there is none for it."""
        if frame.keyword:
            return next((n for n, each in enumerate(self.arguments) if each.name == frame.keyword), None)
        for number, each in enumerate(self.arguments):
            if each.is_variadic or (number == frame.index and not each.keyword_only):
                return number
            if each.keyword_only:
                break
        return None


def callee_of(snapshot: Snapshot, dotted: str, line: int, col: int) -> Callee | None:
    """What a dotted text means at a place."""
    item = item_of(full_name(snapshot, dotted, line, col))
    if item is not None and item.kind in ("function", "class", "annotation", "decorator"):
        return _of_item(item)
    return _of_project(snapshot, dotted, line, col)


def full_name(snapshot: Snapshot, dotted: str, line: int, col: int) -> str:
    """A dotted text with the import behind its first name in full."""
    first, dot, rest = dotted.partition(".")
    symbol = snapshot.file.names_near(line).scope_at(line, col).resolve(first)
    base = symbol.imported if symbol is not None and symbol.imported else first
    return f"{base}{dot}{rest}"


def _of_item(item: LanguageItem) -> Callee | None:
    signature = item.signature
    if signature is None:
        return None
    found = tuple(_argument(each, item) for each in signature.parameters.values() if each.name != "self")
    return Callee(f"T.{item.name}", found, summary(item).replace("``", "`"), item)


def _argument(each: Parameter, item: LanguageItem) -> Argument:
    annotation = "" if each.annotation is Parameter.empty else str(each.annotation).replace("'", "")
    default = "" if each.default is Parameter.empty else repr(each.default)
    return Argument(
        each.name,
        annotation,
        default,
        str(each).replace("'", ""),
        each.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD),
        each.kind is Parameter.KEYWORD_ONLY,
        _choices(annotation, item),
    )


def _choices(annotation: str, item: LanguageItem) -> tuple[str, ...]:
    """The strings of a ``Literal`` that an annotation names."""
    home: dict[str, Any] = getattr(item.value, "__globals__", {})
    for part in annotation.split("|"):
        found = home.get(part.strip())
        values = tuple(value for value in typing.get_args(found) if isinstance(value, str))
        if values:
            return values
    return ()


def _of_project(snapshot: Snapshot, dotted: str, line: int, col: int) -> Callee | None:
    symbol = snapshot.file.names_near(line).scope_at(line, col).resolve(dotted)
    home = home_of(snapshot.workspace, snapshot.file, symbol) if symbol is not None else None
    node = home.symbol.function if home is not None else None
    if node is None:
        return None
    spec = node.args
    positional = [*spec.posonlyargs, *spec.args]
    defaults: list[ast.expr | None] = [*[None] * (len(positional) - len(spec.defaults)), *spec.defaults]
    pairs = [*zip(positional, defaults, strict=True), *zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]
    arguments = tuple(
        Argument(
            arg.arg,
            ast.unparse(arg.annotation) if arg.annotation is not None else "",
            ast.unparse(default) if default is not None else "",
            ast.unparse(arg) + (f"={ast.unparse(default)}" if default is not None else ""),
            is_variadic=False,
            keyword_only=arg in spec.kwonlyargs,
        )
        for arg, default in pairs
    )
    return Callee(node.name, arguments, ast.get_docstring(node) or "")
