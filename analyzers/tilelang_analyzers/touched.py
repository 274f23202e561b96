"""Which kernels have changed since a revision: `--diff-base REV` shows findings about those only.

Git is asked for the changed lines. A function is touched if one of its lines or decorators is; outside functions, a
statement is. A finding stays if its own place or one of its notes is in something touched, so a new call that breaks an
old kernel is shown, and so is an old call of a changed macro.
"""

from __future__ import annotations

import ast
import codecs
import os
import re
import subprocess
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tilelang_analyzers.settings import SettingsError
from tilelang_analyzers.sources import NOTEBOOK_SUFFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tilelang.diagnostics import Diagnostic
    from tilelang.syntax.notebook import Notebook
    from tilelang.syntax.text import SourceText
    from tilelang_analyzers.report import Run
    from tilelang_analyzers.sources import Sources

Lines = tuple[int, int]
"""First and last line."""

EVERYTHING: tuple[Lines, ...] = ((1, 10**9),)
_HUNK = re.compile(rb"@@ -\d+(?:,\d+)? \+(?P<line>\d+)(?:,(?P<count>\d+))? @@")


class Touched:
    """The lines that differ from a revision, by absolute path, and the statements that they lie in. Of files outside
    ``top``, the folder of the repository, nothing is known, so they count as touched."""

    def __init__(self, top: Path, lines: dict[str, tuple[Lines, ...]], sources: Sources) -> None:
        self._top = os.path.join(os.path.realpath(top), "")  # noqa: PTH118
        self._lines = lines
        self._sources = sources
        self._statements: dict[str, tuple[SourceText, list[Lines]]] = {}

    def only(self, run: Run) -> Run:
        """The run with the findings that something touched has to do with."""
        files = tuple(
            file._replace(findings=tuple(finding for finding in file.findings if self.concerns(finding)))
            for file in run.files
        )
        return replace(run, files=files)

    def concerns(self, finding: Diagnostic) -> bool:
        spans = [finding.span, *(note.span for note in finding.notes if note.span)]
        return any(self._is_touched(os.path.realpath(span.path), span.path, span.line, span.end_line) for span in spans)

    def _is_touched(self, real: str, path: str, first: int, last: int) -> bool:
        touched = self._lines.get(real, ())
        if touched == EVERYTHING or not real.startswith(self._top):
            return True
        places = [(first, last), *(it for it in self._around(path) if it[0] <= first <= it[1])] if touched else []
        return any(start <= end and begin <= stop for start, stop in places for begin, end in touched)

    def _around(self, path: str) -> list[Lines]:
        # A fix changes the text while the object lives.
        text = self._sources.file(path)
        known = self._statements.get(path)
        if known is None or known[0] is not text:
            known = self._statements[path] = (text, list(_units(_body(path, self._sources))))
        return known[1]


def _body(path: str, sources: Sources) -> Sequence[ast.stmt]:
    from tilelang.syntax import parse_module

    tree = sources.tree(path)
    return tree.body if tree is not None else parse_module(sources.file(path)).body


def _units(body: Iterable[ast.stmt]) -> Iterator[Lines]:
    """The lines of outermost functions, and of statements outside them."""
    for node in body:
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(it.lineno for it in decorators)])
        inner = [child for name in ("body", "orelse", "finalbody") for child in getattr(node, name, ())]
        inner += [child for handler in getattr(node, "handlers", ()) for child in handler.body]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or not inner:
            yield first, node.end_lineno or node.lineno
        else:
            yield from _units(inner)


# --- what git says ----------------------------------------------------------------------------------------------------


def touched_since(revision: str, folder: Path, sources: Sources) -> Touched:
    """The working tree of the repository around ``folder``, against the point where its branch left ``revision``.

    Raises :class:`SettingsError` if there is no git, no repository or no such revision.
    """
    top = Path(os.fsdecode(_git(folder, "rev-parse", "--show-toplevel").rstrip(b"\r\n")))
    if _git_or_none(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}") is None:
        raise SettingsError(f"--diff-base {revision}: no such revision in {top}")
    base = os.fsdecode(_git_or_none(top, "merge-base", revision, "HEAD") or os.fsencode(revision)).strip()
    lines = {str(top / name): ranges for name, ranges in _changed_lines(top, base)}
    for name in _git(top, "ls-files", "--others", "--exclude-standard", "-z").split(b"\0"):
        if name:
            lines[str(top / os.fsdecode(name))] = EVERYTHING
    real = {os.path.realpath(path): ranges for path, ranges in lines.items()}
    for path, ranges in real.items():
        if path.endswith(NOTEBOOK_SUFFIX) and ranges != EVERYTHING:
            real[path] = tuple(_changed_cells(top, base, Path(path), sources))
    return Touched(top, real, sources)


def _git(folder: Path, *arguments: str) -> bytes:
    """What a git command prints. Raises :class:`SettingsError` with git's own words if it fails."""
    done = _run_git(folder, arguments)
    if done.returncode:
        reason = os.fsdecode(done.stderr).strip().removeprefix("fatal: ").partition("\n")[0]
        raise SettingsError(f"--diff-base: git {arguments[0]}: {reason or f'exit code {done.returncode}'}")
    return done.stdout


def _git_or_none(folder: Path, *arguments: str) -> bytes | None:
    done = _run_git(folder, arguments)
    return None if done.returncode else done.stdout


def _run_git(folder: Path, arguments: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    command = ("git", "-c", "core.quotePath=false", *arguments)
    try:
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    except OSError as error:
        raise SettingsError(f"--diff-base needs git: {error.strerror or error}") from None


def _changed_lines(top: Path, base: str) -> Iterator[tuple[str, tuple[Lines, ...]]]:
    """Names of changed files, as they are called now, with their changed lines."""
    flags = ("--unified=0", "--no-color", "--no-ext-diff", "--find-renames", "--no-prefix", "--no-relative")
    ranges: dict[str, list[Lines]] = defaultdict(list)
    name = ""
    in_header = True
    for line in _git(top, "diff", *flags, base, "--").split(b"\n"):
        if line.startswith(b"diff --git "):
            in_header = True
        elif in_header and line.startswith(b"+++ "):
            name = _unquoted(line[4:].rstrip(b"\t"))
        elif (hunk := _HUNK.match(line)) and name != "/dev/null":
            in_header = False
            first, count = int(hunk["line"]), int(hunk["count"] or 1)
            # Where lines are only gone, their neighbours are touched.
            ranges[name].append((first, first + count - 1) if count else (first, first + 1))
    yield from ((name, tuple(found)) for name, found in ranges.items())


def _unquoted(name: bytes) -> str:
    """A path as git prints it; one with unusual characters is in quotes, with escapes as in C."""
    if name.startswith(b'"') and name.endswith(b'"'):
        name = codecs.escape_decode(name[1:-1])[0]  # type: ignore[attr-defined]  # not in the stubs, in every Python
    return os.fsdecode(name)


def _changed_cells(top: Path, base: str, path: Path, sources: Sources) -> Iterator[Lines]:
    """The lines of cells whose text the notebook of the revision does not have. Lines of JSON say little."""
    from tilelang.syntax.notebook import load_notebook

    name = path.relative_to(os.path.realpath(top)).as_posix()
    old = _git_or_none(top, "show", f"{base}:{name}")
    if old is None:
        yield from EVERYTHING
        return
    known = {text for _, text in _cells(load_notebook(str(path), old))}
    new = sources.notebook(str(path))
    yield from (lines for lines, text in _cells(new) if text not in known) if new else EVERYTHING


def _cells(notebook: Notebook) -> Iterator[tuple[Lines, str]]:
    for cell in notebook.cells:
        lines = (cell.start_line, cell.start_line + cell.line_count - 1)
        yield lines, "\n".join(notebook.source.line_text(line) for line in range(lines[0], lines[1] + 1))
