"""Findings that are known and not shown, so that a project can adopt the checker before it is clean.

A baseline is a JSON file of (path, rule, hash of the excerpt, targets) with counts. An entry hides a finding of the
same rule on the same text, wherever in the file that is now, and in a file of another name if the old one is gone. A
finding on a target that its entry does not name is new. An entry whose finding is gone is stale: it would hide the
next one, so it is taken out, unless this run could not have found it: another file, rule or target.

The file has no dates and no line numbers, and its order is fixed: it changes only when the findings do.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from tilelang.diagnostics import Severity
from tilelang_analyzers.report import identity
from tilelang_analyzers.settings import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tilelang.diagnostics import Diagnostic
    from tilelang_analyzers.report import Run
    from tilelang_analyzers.results import FileReport
    from tilelang_analyzers.sources import Sources

VERSION = 1


class Entry(NamedTuple):
    """One known finding. ``path`` is relative to the folder of the baseline, with forward slashes."""

    path: str
    rule: str
    excerpt: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run against a baseline: what is new, how many findings are hidden, what the baseline should hold from now on,
    and the entries that are stale."""

    run: Run
    hidden: int
    left: Counter[Entry]
    stale: tuple[Entry, ...]


class Baseline:
    """The known findings of one file, which need not exist yet."""

    def __init__(self, file: Path, entries: Counter[Entry] | None = None) -> None:
        self.file = file
        self.entries = entries if entries is not None else Counter[Entry]()

    @staticmethod
    def read(file: Path) -> Baseline:
        """Raises :class:`SettingsError` if the file is missing or is no baseline."""
        try:
            return Baseline(file, _parse(file.read_bytes()))
        except OSError as error:
            hint = "; --write-baseline makes it" if isinstance(error, FileNotFoundError) else ""
            raise SettingsError(f"baseline {file}: {error.strerror or 'cannot be read'}{hint}") from None
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise SettingsError(f"baseline {file}: not a baseline: {error}") from None

    def compare(self, run: Run, can_find: Callable[[str, str], bool] = lambda path, rule: True) -> Comparison:
        """Hide what is known. ``can_find(path, rule)`` says whether the run looked for a rule in a file."""
        rest = self.entries.copy()
        left: Counter[Entry] = Counter()
        hidden: set[int] = set()
        findings = [(finding, self._entry(finding, run)) for finding in run.findings() if _counts(finding)]
        checked = {file.path: _archs(run, file) for file in run.files if _is_whole(file)}
        for same_path in (True, False):
            index = _index(rest, self._is_there, same_path=same_path)
            for finding, own in findings:
                key = (own.path if same_path else "", own.rule, own.excerpt)
                known = None if id(finding) in hidden else _best(index[key], rest, own)
                if known is not None:
                    hidden.add(id(finding))
                    rest[known] -= 1
                    unseen = set(known.targets) - checked.get(finding.span.path, set())
                    left[own._replace(targets=tuple(sorted({*own.targets, *unseen})))] += 1
        stale: list[Entry] = []
        # A finding that now has more targets than its entry is shown, and the entry is not stale.
        wider = {own._replace(targets=(arch,)) for it, own in findings if id(it) not in hidden for arch in own.targets}
        for entry in rest.elements():
            path = str(self._absolute(entry.path))
            looked = path in checked and checked[path].issuperset(entry.targets) and can_find(path, entry.rule)
            looked = looked and not any(entry._replace(targets=(arch,)) in wider for arch in entry.targets)
            if looked or not self._is_there(entry.path):
                stale.append(entry)
            else:
                left[entry] += 1
        return Comparison(_without(run, hidden), len(hidden), left, tuple(sorted(stale)))

    def of(self, run: Run) -> Counter[Entry]:
        """What a new baseline would hold: the findings of a run, and the entries of files that it did not check."""
        entries = Counter(self._entry(finding, run) for finding in run.findings() if _counts(finding))
        checked = {file.path for file in run.files if _is_whole(file)}
        for entry, count in self.entries.items():
            if self._is_there(entry.path) and str(self._absolute(entry.path)) not in checked:
                entries[entry] += count
        return entries

    def write(self, entries: Counter[Entry]) -> None:
        """Replace the file. Raises ``OSError``."""
        temporary = self.file.with_name(f".{self.file.name}.{os.getpid()}.tmp")
        try:
            temporary.write_text(_text(entries), encoding="utf-8", newline="\n")
            temporary.replace(self.file)
        finally:
            temporary.unlink(missing_ok=True)

    def _entry(self, finding: Diagnostic, run: Run) -> Entry:
        relative = os.path.relpath(finding.span.path, self.file.parent).replace(os.sep, "/")
        return Entry(relative, finding.rule, excerpt_hash(finding, run.sources), tuple(sorted(set(finding.targets))))

    def _absolute(self, path: str) -> Path:
        return Path(os.path.abspath(self.file.parent / path))  # noqa: PTH100

    def _is_there(self, path: str) -> bool:
        return self._absolute(path).exists()


def excerpt_hash(finding: Diagnostic, sources: Sources) -> str:
    """A hash of the lines of a finding, in 16 hexadecimal digits. Indentation and spacing do not count, so it stays
    when the code moves, is indented or is formatted; the message does not, so it stays when a figure changes."""
    file = sources.file(finding.span.path)
    lines = (file.line_text(line) for line in range(finding.span.line, finding.span.end_line + 1))
    words = " ".join(" ".join(lines).split())
    return blake2b(words.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _counts(finding: Diagnostic) -> bool:
    """Only what can fail a run is worth an entry."""
    return finding.severity >= Severity.WARNING


def _is_whole(file: FileReport) -> bool:
    """Whether all of a file was looked at. Of one with syntax errors, parts were not."""
    return file.failure is None and all(finding.rule != "syntax-error" for finding in file.findings)


def _archs(run: Run, file: FileReport) -> set[str]:
    """The targets that a file was checked for."""
    archs = {arch for arch, _ in file.targets or run.targets}
    return archs or {file.assumed_target, *(arch for finding in file.findings for arch in finding.targets)}


def _index(
    rest: Counter[Entry], is_there: Callable[[str], bool], *, same_path: bool
) -> dict[tuple[str, str, str], list[Entry]]:
    """Entries by path, rule and excerpt; without the path, those of files that are gone."""
    index: dict[tuple[str, str, str], list[Entry]] = defaultdict(list)
    for entry in sorted(rest):
        if same_path or not is_there(entry.path):
            index[entry.path if same_path else "", entry.rule, entry.excerpt].append(entry)
    return index


def _best(candidates: Iterable[Entry], rest: Counter[Entry], own: Entry) -> Entry | None:
    """The entry with the fewest targets that has all those of the finding."""
    fitting = [it for it in candidates if rest[it] > 0 and set(it.targets).issuperset(own.targets)]
    return min(fitting, key=lambda it: len(it.targets), default=None)


def _without(run: Run, hidden: set[int]) -> Run:
    """``findings()`` drops repeats, so whatever equals a hidden finding goes too."""
    same = {identity(finding) for finding in run.findings() if id(finding) in hidden}
    files = tuple(
        file._replace(findings=tuple(finding for finding in file.findings if identity(finding) not in same))
        for file in run.files
    )
    return replace(run, files=files)


# --- the file ---------------------------------------------------------------------------------------------------------


def _text(entries: Counter[Entry]) -> str:
    document = {"version": VERSION, "findings": list(_records(entries))}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _records(entries: Counter[Entry]) -> Iterator[dict[str, object]]:
    for entry in sorted(entry for entry, count in entries.items() if count > 0):
        record: dict[str, object] = {"path": entry.path, "rule": entry.rule, "excerpt": entry.excerpt}
        if entry.targets:
            record["targets"] = list(entry.targets)
        if entries[entry] > 1:
            record["count"] = entries[entry]
        yield record


def _parse(data: bytes) -> Counter[Entry]:
    """Raises ``ValueError``, ``TypeError`` or ``KeyError``."""
    document = json.loads(data)
    if not isinstance(document, dict):
        raise TypeError("no JSON object")
    table = cast("dict[str, object]", document)
    if table.get("version") != VERSION:
        raise ValueError(f"version {table.get('version')!r} is not known")
    entries: Counter[Entry] = Counter()
    for item in cast("list[dict[str, object]]", table["findings"]):
        path, rule, excerpt = item["path"], item["rule"], item["excerpt"]
        targets, count = item.get("targets", []), item.get("count", 1)
        if not (isinstance(targets, list) and isinstance(count, int)):
            raise TypeError("an entry has a value of a wrong type")
        names = tuple(str(name) for name in cast("list[object]", targets))
        entries[Entry(str(path), str(rule), str(excerpt), names)] += count
    return entries
