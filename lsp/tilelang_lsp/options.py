"""What an editor may set beside the options of the checker, and how its settings are taken apart."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, cast

from tilelang_analyzers.settings import OPTIONS, SettingsError, validate

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class InlayHintOptions:
    """Which kinds of hints to show. ``tiles``: shape, dtype, scope and bytes of a tile; ``values``: sizes that the
    source computes; ``loops``: trip counts and stages; ``launches``: grid and threads; ``layouts``: swizzles of tiles;
    ``code``: what a line became in the last compile."""

    tiles: bool = True
    values: bool = True
    loops: bool = True
    launches: bool = True
    layouts: bool = True
    code: bool = True


@dataclass(frozen=True, slots=True)
class EditorOptions:
    """``checker`` is a validated `[tool.tilelang]` table, which wins over files. ``python_completion``: names of plain
    Python in kernel files. ``debounce``: seconds without a keystroke before a changed file is checked.
    ``compile_on_save``: compile the kernels of a file that is saved."""

    checker: Mapping[str, object] = field(default_factory=dict[str, object])
    inlay_hints: InlayHintOptions = InlayHintOptions()
    code_lens: bool = True
    python_completion: bool = True
    debounce: float = 0.1
    compile_on_save: bool = True


def read(table: Mapping[str, object]) -> tuple[EditorOptions, tuple[str, ...]]:
    """The options in an editor's settings, and a sentence for each that cannot be used. The others still count."""
    options = EditorOptions()
    problems: list[str] = []
    checker: dict[str, object] = {}
    for key, value in table.items():
        written = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in key)
        if key == "inlayHints" and isinstance(value, dict):
            options = replace(options, inlay_hints=_switches(cast("dict[str, object]", value), problems))
        elif key == "codeLens" and isinstance(value, bool):
            options = replace(options, code_lens=value)
        elif key == "pythonCompletion" and isinstance(value, bool):
            options = replace(options, python_completion=value)
        elif key == "compileOnSave" and isinstance(value, bool):
            options = replace(options, compile_on_save=value)
        elif key == "debounce" and isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0:
            options = replace(options, debounce=float(value))
        elif written in OPTIONS or written == "targets":
            try:
                checker.update(validate({written: value}, "editor settings"))
            except SettingsError as error:
                problems.append(str(error))
        elif key not in ("trace", "server", "path", "interpreter", "enable"):
            problems.append(f"editor settings: `{key}` is not understood")
    return replace(options, checker=checker), tuple(problems)


def _switches(table: Mapping[str, object], problems: list[str]) -> InlayHintOptions:
    known = {each.name for each in fields(InlayHintOptions)}
    good: dict[str, Any] = {key: value for key, value in table.items() if key in known and isinstance(value, bool)}
    problems += [f"editor settings: `inlayHints.{key}` is not understood" for key in table if key not in good]
    return InlayHintOptions(**good)
