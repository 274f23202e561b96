"""Plain Python after a dot or in an import, by jedi.

jedi reads files only: it uses the interpreter that runs the server, never that of the workspace, and loads extension
modules of this environment's own library only. Packages of an environment in the workspace are read as source.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from tilelang_lsp.ide.completion.item import Completion

if TYPE_CHECKING:
    from tilelang_lsp.ide.completion.item import Kind, Request

_KINDS: dict[str, Kind] = {"function": "function", "class": "class", "module": "module", "property": "property"}
_ENVIRONMENTS = (".venv", "venv", "env")
MAX_ITEMS = 300
_LOCK = Lock()
"""jedi's caches are shared by the process and not made for several threads."""


def wanted(asked: Request) -> bool:
    """Whether jedi may know more than the server: after a dot that is not the language's, and in imports."""
    cursor = asked.cursor
    if not asked.snapshot.options.python_completion or cursor.string is not None or cursor.in_comment:
        return False
    if cursor.head[:1] in (("import",), ("from",)):
        return True
    return bool(asked.receiver) and not asked.receiver.startswith("tilelang")


def complete(asked: Request) -> list[Completion]:
    """May take long the first time that a package is read."""
    with _LOCK:
        return _complete(asked)


def _complete(asked: Request) -> list[Completion]:
    jedi: Any = import_module("jedi")
    file, cursor = asked.snapshot.file, asked.cursor
    root = asked.snapshot.workspace.root_of(file.path)
    project = jedi.Project(root, added_sys_path=packages(root), load_unsafe_extensions=False, smart_sys_path=False)
    environment = jedi.api.environment.InterpreterEnvironment()
    script: Any = jedi.Script(file.source.text, path=file.path, project=project, environment=environment)
    try:
        found: Any = script.complete(cursor.line, file.source.char_column(cursor.line, cursor.col))
    except Exception:  # noqa: BLE001  # a bug of the library on some text costs only these names
        return []
    return [
        Completion(each.name, _KINDS.get(each.type, "variable"), -10.0 - each.name.startswith("_"))
        for each in found[:MAX_ITEMS]
    ]


def packages(root: str) -> list[str]:
    """Folders of packages: the project's own, and the site-packages of environments in it, by looking at names only."""
    found = [root, f"{root}/src", f"{root}/python"]
    for name in _ENVIRONMENTS:
        found += [str(path) for path in sorted(Path(root, name).glob("lib/python3*/site-packages"))]
        found += [str(path) for path in [Path(root, name, "Lib", "site-packages")] if path.is_dir()]
    return found
