"""Code actions: the fixes of findings, comments that suppress them, all safe fixes of a file, and refactors of kernels.

An action whose edits cost time has a ``task`` instead of edits, which :func:`work_out` does when it is chosen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tilelang.diagnostics import Edit
from tilelang.ir.span import Span
from tilelang_lsp.ide import fit
from tilelang_lsp.ide.code_lens import instance_comment
from tilelang_lsp.ide.refactors import refactors
from tilelang_lsp.ide.tiles import arguments_text, size_text
from tilelang_lsp.session import findings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang.diagnostics import Diagnostic, Fix
    from tilelang_lsp.analysis import Analysis, Kernel
    from tilelang_lsp.files import SourceFile
    from tilelang_lsp.session import Snapshot

Kind = Literal["quickfix", "refactor.rewrite", "refactor.extract", "source.fixAll.tilelang"]
_COMMENT = re.compile(r"#\s*tl:\s*ignore\[([^\]#]*)\]")


@dataclass(frozen=True, slots=True)
class Task:
    """Make one instance of the kernel at a line fit a target."""

    line: int
    index: int
    target: str


@dataclass(frozen=True, slots=True)
class Action:
    """``finding`` is what a fix removes. ``show``: an instance of a kernel to look at instead of an edit; ``pick``: the
    line of a kernel whose instances to choose from."""

    title: str
    kind: Kind
    edits: tuple[Edit, ...] = ()
    finding: Diagnostic | None = None
    preferred: bool = False
    task: Task | None = None
    show: tuple[int, int] | None = field(default=None)
    pick: int | None = None


def code_actions(snapshot: Snapshot, first: int, last: int, *, selected: bool = False) -> list[Action]:
    """The actions for some lines. ``selected``: the user marked them."""
    if snapshot.analysis is None or not snapshot.is_current:
        return []
    concerned = [
        each for each in findings_of(snapshot.analysis) if each.span.line <= last and first <= each.span.end_line
    ]
    actions: list[Action] = []
    for finding in concerned:
        if finding.fix is not None and _in_file(finding.fix, snapshot.file.path):
            fix = finding.fix
            actions.append(Action(fix.title, "quickfix", fix.edits, finding, preferred=fix.safe))
    for finding in concerned:
        edit = suppression(snapshot.file, finding)
        if edit is not None:
            actions.append(Action(f"Suppress {finding.rule} here", "quickfix", (edit,), finding))
    for kernel, index in _kernels_at(snapshot, snapshot.analysis, first):
        actions += _refactors(snapshot, kernel, index)
    here = snapshot.analysis.kernel_at(first)
    if here is not None:
        found = refactors(snapshot, here, first, last, selected=selected)
        actions += [Action(each.title, each.kind, each.edits) for each in found]
    every = fix_all(snapshot)
    if every:
        actions.append(Action("Apply all safe fixes", "source.fixAll.tilelang", tuple(every)))
    return actions


def fix_all(snapshot: Snapshot) -> list[Edit]:
    """The edits of all safe fixes that do not touch each other. The rest waits for the next time."""
    found: list[Edit] = []
    findings = findings_of(snapshot.analysis) if snapshot.analysis is not None else ()
    for finding in findings:
        fix = finding.fix
        if fix is None or not fix.safe or not _in_file(fix, snapshot.file.path):
            continue
        if not any(_touch(new.span, old.span) for new in fix.edits for old in found):
            found += fix.edits
    return found


def _in_file(fix: Fix, path: str) -> bool:
    return bool(fix.edits) and all(edit.span.path == path for edit in fix.edits)


def _touch(one: Span, other: Span) -> bool:
    start, end = (one.line, one.col), (one.end_line, one.end_col)
    return start == (other.line, other.col) or (
        start < (other.end_line, other.end_col) and (other.line, other.col) < end
    )


# --- suppressions -----------------------------------------------------------------------------------------------------


def suppression(file: SourceFile, finding: Diagnostic) -> Edit | None:
    """A comment at the end of the finding's line, or one more name in the comment that is there. None where the end of
    the line is inside a string or the line goes on with a backslash."""
    line = finding.span.line
    text = file.source.line_text(line)
    match = _COMMENT.search(text)
    if match:
        names = [name.strip() for name in match[1].split(",") if name.strip()]
        if finding.rule in names:
            return None
        col = file.source.byte_column(line, match.end(1))
        return Edit(Span(file.path, line, col, line, col), f", {finding.rule}" if names else finding.rule)
    end = len(text.encode())
    node = file.root.descendant_for_byte_range(*[max(file.source.byte_offset(line, end) - 1, 0)] * 2)
    if text.endswith("\\") or (node is not None and "string" in node.type and node.end_point[0] + 1 != line):
        return None
    stripped = len(text.rstrip().encode())
    return Edit(Span(file.path, line, stripped, line, end), f"  # tl: ignore[{finding.rule}]")


# --- refactors --------------------------------------------------------------------------------------------------------


def _kernels_at(snapshot: Snapshot, analysis: Analysis, line: int) -> Iterator[tuple[Kernel, int]]:
    """The shown instance of the kernel around a line, and the first instance that a call in the line makes."""
    for kernel in analysis.kernels:
        if kernel.first_line <= line <= kernel.last_line:
            yield kernel, kernel.chosen(snapshot.picks.get((snapshot.file.path, kernel.name)))[0]
            continue
        for index, instance in enumerate(kernel.instances):
            if any(link.span.path == snapshot.file.path and link.span.line == line for link in instance.chain):
                yield kernel, index
                break


def _refactors(snapshot: Snapshot, kernel: Kernel, index: int) -> Iterator[Action]:
    analysis = kernel.analysis
    instance = kernel.instances[index]
    for target in analysis.targets(instance):
        need = fit.excess(instance, target)
        if need is None:
            continue
        budget = size_text(target.shared_memory.budget)
        if instance.tune is None:
            title = f"Make {kernel.name} fit {target.label} ({size_text(need)} → at most {budget})"
            yield Action(title, "refactor.rewrite", task=Task(kernel.line, index, target.arch))
        else:
            yield from _other_entries(kernel)
            return
    if instance.tune is not None and len(kernel.instances) > 1:
        yield Action("Choose another entry of the tuner", "refactor.rewrite", pick=kernel.line)
    if all(each.origin == "symbolic" for each in kernel.instances):
        found = instance_comment(snapshot, kernel.line)
        if found is not None:
            line, text = found
            edit = Edit(Span(snapshot.file.path, line, 0, line, 0), text)
            yield Action("Give the parameters values in an `instance` comment", "refactor.rewrite", (edit,))


def _other_entries(kernel: Kernel) -> Iterator[Action]:
    """The first entry of the tuner that fits every target."""
    for index, instance in enumerate(kernel.instances):
        if all(fit.excess(instance, target) is None for target in kernel.analysis.targets(instance)):
            title = f"Show the entry that fits: {arguments_text(instance, 60)}"
            yield Action(title, "refactor.rewrite", show=(kernel.line, index))
            return


def work_out(snapshot: Snapshot, task: Task) -> tuple[Edit, ...]:
    """The edits of a task; empty if nothing fits or the values are not written in the file. Runs where checks run."""
    kernels = snapshot.analysis.kernels if snapshot.analysis is not None else ()
    kernel = next((each for each in kernels if each.line == task.line), None)
    if kernel is None or task.index >= len(kernel.instances):
        return ()
    instance = kernel.instances[task.index]
    target = next((each for each in kernel.analysis.targets(instance) if each.arch == task.target), None)
    found = fit.fit(instance, target) if target is not None else None
    return tuple(fit.edits(snapshot.file, instance, found.changes) or ()) if found is not None else ()
