"""Which compile belongs to which kernel of a file, whether it is stale, and how its lines follow the newest text."""

from __future__ import annotations

import hashlib
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

from tilelang.ir.printer import print_program
from tilelang_lsp.compiles import Key, Wanted, is_compilable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tilelang.frontend.instance import Instance
    from tilelang.targets import Target
    from tilelang_lsp.analysis import Analysis, Kernel
    from tilelang_lsp.compiles import Compiled
    from tilelang_lsp.files import SourceFile
    from tilelang_lsp.session import Snapshot

MAX_INSTANCES = 3
"""Of one kernel, compiled on save beside the one that is shown: a tuner may list thousands."""


def kernel_key(kernel: Kernel) -> str:
    """The name of a kernel, with its number where its file has several of that name."""
    same = [each for each in kernel.analysis.kernels if each.name == kernel.name]
    number = next(index for index, each in enumerate(same) if each.line == kernel.line) + 1
    return kernel.name if number == 1 else f"{kernel.name}@{number}"


def kernel_named(analysis: Analysis, key: str) -> Kernel | None:
    """The kernel that a key stands for."""
    return next((each for each in analysis.kernels if kernel_key(each) == key), None)


def wanted(snapshot: Snapshot, kernel: Kernel, index: int, target: Target) -> Wanted:
    """One instance of a kernel on a target, to compile."""
    instance = kernel.instances[index]
    key = Key(snapshot.file.path, kernel_key(kernel), index, target.arch)
    file = kernel.analysis.file
    return Wanted(key, instance, target, file, fingerprint(kernel.analysis, instance, target), kernel.line)


def fingerprint(analysis: Analysis, instance: Instance, target: Target) -> str:
    """What programs that compile to the same code have in common."""
    text = analysis.memory.printed(instance.program)
    if text is None:
        text = print_program(instance.program)
    # What is not printed in full may differ in what is left out.
    identity = str(id(instance.program)) if "…" in text else ""
    parts = (text, identity, repr(instance.jit.pass_configs), repr(target))
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def to_compile(snapshot: Snapshot) -> Iterator[Wanted]:
    """What a save compiles: of each kernel the shown instance, then others that programs make, on each chosen target
    that there is a code generator for. What is shown comes first; what was looked at before and has changed, before."""
    analysis = snapshot.analysis
    if analysis is None or not snapshot.is_current:
        return
    shown: list[Wanted] = []
    others: list[Wanted] = []
    for kernel in analysis.kernels:
        index, _ = kernel.chosen(snapshot.picks.get((snapshot.file.path, kernel.name)))
        usable = [number for number, each in enumerate(kernel.instances) if each.certain and each.origin == "call"]
        for number in dict.fromkeys((index, *usable[: MAX_INSTANCES + 1])):
            instance = kernel.instances[number]
            if not instance.program.complete or instance.expected_failure or instance.origin == "symbolic":
                continue
            for target in analysis.targets(instance):
                if is_compilable(target):
                    (shown if number == index else others).append(wanted(snapshot, kernel, number, target))
    shown.sort(key=lambda each: not is_stale(snapshot, each))
    yield from (*shown, *others[: MAX_INSTANCES * max(len(shown), 1)])


def is_stale(snapshot: Snapshot, now: Wanted) -> bool:
    """Whether there is a result of an older program."""
    known = snapshot.compiled.get(now.key)
    return known is not None and known.wanted.fingerprint != now.fingerprint


def is_current(snapshot: Snapshot, compiled: Compiled) -> bool:
    """Whether a result is that of the program as it is now."""
    analysis = snapshot.analysis
    kernel = kernel_named(analysis, compiled.wanted.key.kernel) if analysis is not None else None
    number = compiled.wanted.key.instance
    if analysis is None or kernel is None or number >= len(kernel.instances):
        return False
    instance = kernel.instances[number]
    target = next((each for each in analysis.targets(instance) if each.arch == compiled.wanted.key.arch), None)
    return fingerprint(analysis, instance, target or compiled.wanted.target) == compiled.wanted.fingerprint


def compiled_of(snapshot: Snapshot, kernel: Kernel) -> Iterator[Compiled]:
    """The results of the shown instance of a kernel, in the order of its targets, then those of other targets."""
    index, instance = kernel.chosen(snapshot.picks.get((snapshot.file.path, kernel.name)))
    archs = [target.arch for target in kernel.analysis.targets(instance)]
    name = kernel_key(kernel)
    mine = [
        each
        for key, each in snapshot.compiled.items()
        if (key.path, key.kernel, key.instance) == (snapshot.file.path, name, index)
    ]
    known = {each.wanted.key.arch: each for each in mine}
    yield from (known[arch] for arch in dict.fromkeys((*archs, *known)) if arch in known)


def shown_code(snapshot: Snapshot, kernel: Kernel) -> Compiled | None:
    """The result that views of single lines show: of the first target that has code."""
    return next((each for each in compiled_of(snapshot, kernel) if each.code is not None), None)


# --- lines ------------------------------------------------------------------------------------------------------------


def lines_now(snapshot: Snapshot, compiled: Compiled) -> Mapping[int, int]:
    """Where the lines of the compiled text are in the newest text. A line that was changed or removed is left out."""
    return moved(compiled.wanted.file, snapshot.file)


@lru_cache(maxsize=16)
def moved(old: SourceFile, new: SourceFile) -> Mapping[int, int]:
    """Lines of one text that another has too, by their numbers, both from 1."""
    before, after = old.source.text.splitlines(), new.source.text.splitlines()
    found: dict[int, int] = {}
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        found[start + 1] = start + 1
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        found[len(before) - end] = len(after) - end
        end += 1
    middle = before[start : len(before) - end], after[start : len(after) - end]
    for one, other, count in SequenceMatcher(None, *middle, autojunk=False).get_matching_blocks():
        found.update((start + one + step + 1, start + other + step + 1) for step in range(count))
    return found
