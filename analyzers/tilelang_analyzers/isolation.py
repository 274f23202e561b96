"""Makes sure that the checker runs on its own core, whatever the working folder and the environment hold.

Upstream's package has the import name `tilelang` too, and the checked project may have modules with the names of ours
or of the standard library. So the folders of this distribution come first on the import path, what `PYTHONPATH` adds
comes last, and the working folder is not on it. Nothing of `tilelang` may be imported before :func:`isolate`.
"""

from __future__ import annotations

import os
import sys

PACKAGE = "tilelang"
MARK = b"tilelang-suite"
"""Stands in the `__init__.py` of our core and in no other."""


def isolate() -> str | None:
    """Put our folders first on ``sys.path``. The result says, in sentences, why the core cannot be used, or is None."""
    roots = _roots()
    foreign = {os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path}  # noqa: PTH100
    here = _working_folder()
    own = [path for path in sys.path if path in roots]
    last = [path for path in sys.path if path not in roots and path in foreign]
    kept = [path for path in sys.path if path not in roots and path not in foreign and path not in ("", here)]
    sys.path[:] = [*dict.fromkeys((*own, *roots)), *kept, *last]
    if _is_own_core(roots):
        return None
    from tilelang_analyzers.doctor import conflict

    return conflict() or f"`import {PACKAGE}` does not get this checker's core; reinstall tilelang-suite"


def _roots() -> list[str]:
    """The folder that holds this package and the one that holds the core: the same one in a wheel."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    above = os.path.dirname(folder)  # noqa: PTH120
    core_beside = os.path.isfile(os.path.join(folder, PACKAGE, "__init__.py"))  # noqa: PTH113, PTH118
    return [folder] if core_beside else [above, folder]


def _working_folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return ""


def _is_own_core(roots: list[str]) -> bool:
    """Whether the `tilelang` beside this package is ours, and no other one has been imported."""
    module = sys.modules.get(PACKAGE)
    for root in roots:
        init = os.path.join(root, PACKAGE, "__init__.py")  # noqa: PTH118
        try:
            with open(init, "rb") as file:  # noqa: PTH123
                is_ours = MARK in file.read(4096)
        except OSError:
            continue
        loaded = getattr(module, "__file__", None) or init
        return is_ours and os.path.samefile(loaded, init)  # noqa: PTH121
    return False
