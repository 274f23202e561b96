"""The command `tilelang` with its sub-commands."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tilelang_analyzers.cli import CLEAN, TROUBLE, check_command, complain, emit, explain, guarded, show_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

USAGE = """\
usage: tilelang COMMAND [ARGUMENTS]

commands:
  check     check kernels from source (the same as tilelang-check)
  asm       show generated code beside its Python lines: tilelang asm FILE
  run       run a program with this tilelang: tilelang run FILE
  targets   list the targets that are known, with their limits
  explain   explain one rule: tilelang explain RULE
  layouts   show which thread holds what: tilelang layouts FILE[:KERNEL]
  doctor    say what is installed, what is seen, and what is missing

`tilelang COMMAND --help` explains one; `tilelang --version` shows the version.
"""


def tilelang_main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of `tilelang`; the result is the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["doctor"]:
        # Works without the core, to explain why that one cannot be imported.
        return _doctor(words[1:])
    if words[:1] == ["run"]:
        # The program is the user's: its exceptions and exit codes are none of ours.
        from tilelang_analyzers.run_file import run_file

        return run_file("tilelang run", words[1:])
    return guarded("tilelang", words, _dispatch)


def _dispatch(program: str, words: Sequence[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        emit(USAGE.splitlines())
        return CLEAN if words else TROUBLE
    command, rest = words[0], words[1:]
    if command == "--version":
        return show_version(program)
    if command == "check":
        return check_command(f"{program} check", rest)
    if command == "explain":
        if len(rest) != 1 or rest[0].startswith("-"):
            return _usage("usage: tilelang explain RULE", rest)
        return explain(rest[0])
    if command == "asm":
        from tilelang_analyzers.asm.command import asm_command

        return asm_command(f"{program} asm", rest)
    if command == "layouts":
        from tilelang_analyzers.layouts.command import layouts_command

        return layouts_command(f"{program} layouts", rest)
    if command == "targets":
        return emit(target_lines()) if not rest else _usage("usage: tilelang targets", rest)
    from tilelang_analyzers.settings import suggestion

    known = ("check", "asm", "run", "targets", "explain", "layouts", "doctor")
    return complain(program, f"unknown command `{command}`{suggestion(command, known)}")


def _doctor(rest: Sequence[str]) -> int:
    if rest and rest not in (["--json"],):
        return _usage("usage: tilelang doctor [--json]", rest)
    from tilelang_analyzers.doctor import run

    return run(sys.stdout, json=bool(rest))


def _usage(text: str, rest: Sequence[str]) -> int:
    if rest and rest[0] in ("-h", "--help"):
        return emit([text])
    print(text, file=sys.stderr)
    return TROUBLE


def target_lines() -> Iterator[str]:
    """Every known arch with its budget of shared memory, registers and threads, and the cards that have it."""
    from tilelang.targets import archs, profile
    from tilelang_analyzers.report.style import wrap

    head = f"{'arch':<11} {'shared B/block':>14} {'regs/thread':>11} {'threads/block':>13}  "
    yield f"{head}cards"
    for arch in archs():
        target = profile(arch)
        cells = (target.shared_memory.budget, target.registers.per_thread, target.launch.threads_per_block)
        shared, registers, threads = ("-" if cell is None else str(cell) for cell in cells)
        start = f"{arch:<11} {shared:>14} {registers:>11} {threads:>13}  "
        yield from wrap(", ".join(target.products) or "-", 80, start, " " * len(start))


if __name__ == "__main__":
    sys.exit(tilelang_main())
