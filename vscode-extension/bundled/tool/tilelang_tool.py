"""Starts the bundled server or checker: ``tilelang_tool.py server|check|doctor|version [ARGUMENTS]``.

Run it with ``-I -S``: then nothing of the environment is on the import path, so a ``tilelang`` that is installed there
cannot stand in for the bundled one. On the path are, in this order, the bundled packages, their parts for this Python
and machine, and last the compiler packages if the user had them installed (``TILELANG_COMPILER_PACKAGES``).
"""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

LIBS = Path(__file__).resolve().parent.parent / "libs"
_MACHINES = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}


def native_tag() -> str:
    """``linux-x86_64-cp311``: the name of the folder with compiled modules for this Python."""
    machine = platform.machine().lower()
    return f"{sys.platform}-{_MACHINES.get(machine, machine)}-cp{sys.version_info[0]}{sys.version_info[1]}"


def compiler_folder(base: str) -> Path:
    """Where the compiler packages for this Python are, below the folder of the extension's storage."""
    return Path(base, native_tag())


def prepare() -> str | None:
    """Put the bundled packages on the import path. The result says why they cannot be used, or is None."""
    native = LIBS / native_tag()
    if not native.is_dir():
        known = ", ".join(sorted(each.name for each in LIBS.iterdir() if each.name != "common"))
        return (
            f"the bundled server has no parts for {native_tag()} (it has: {known}); "
            "install tilelang-suite in an environment and set tilelang.path to its tilelang-lsp"
        )
    sys.path[:0] = [str(LIBS / "common"), str(native)]
    base = os.environ.get("TILELANG_COMPILER_PACKAGES")
    if base and compiler_folder(base).is_dir():
        sys.path.append(str(compiler_folder(base)))
    return None


def main(arguments: list[str]) -> int:
    trouble = prepare()
    if trouble is not None:
        print(f"tilelang: {trouble}", file=sys.stderr)
        return 2
    command, rest = (arguments[0], arguments[1:]) if arguments else ("version", [])
    if command == "server":
        from tilelang_lsp.server import main as serve

        return serve(rest)
    if command == "check":
        from tilelang_analyzers.cli import main as check

        return check(rest)
    if command == "doctor":
        from tilelang_analyzers.main import tilelang_main

        return tilelang_main(["doctor", *rest])
    if command == "tag":
        print(native_tag())
        return 0
    from tilelang import __version__

    print(f"tilelang-lsp {__version__}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
