"""``tilelang run``: run a program with this package's ``tilelang``, whatever else is installed."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tilelang_analyzers.exit_codes import TROUBLE

if TYPE_CHECKING:
    from collections.abc import Sequence

USAGE = """\
usage: tilelang run FILE [ARGUMENTS]

Run a Python program as `python FILE` does. `import tilelang` gets this package
in it, and kernels are compiled for the GPU of this machine, else for its CPU.
"""
EXTRAS = {
    "tvm": "pip install 'tilelang-suite[cuda]'",
    "numpy": "pip install 'tilelang-suite[cuda]'",
    "ml_dtypes": "pip install 'tilelang-suite[cuda]'",
    "torch": "pip install 'tilelang-suite[torch]'",
}
"""How to get what programs and the compiler import."""


def run_file(program: str, arguments: Sequence[str]) -> int:
    """Run a file as the main program; exceptions of the program are not caught. The result is the exit code."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, end="", file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else TROUBLE
    path = Path(arguments[0])
    if not path.is_file():
        print(f"{program}: {path}: no such file", file=sys.stderr)
        return TROUBLE
    # Taken before the program's folder is on the path, where another `tilelang` may lie.
    import tilelang  # noqa: F401  # pyright: ignore[reportUnusedImport]

    sys.argv = list(arguments)
    sys.path.insert(0, str(path.resolve().parent))
    try:
        runpy.run_path(str(path), run_name="__main__")
    except ModuleNotFoundError as error:
        hint = EXTRAS.get((error.name or "").partition(".")[0])
        if hint is None:
            raise
        print(f"{program}: {path} needs {error.name}, which is not installed: {hint}", file=sys.stderr)
        return TROUBLE
    return 0
