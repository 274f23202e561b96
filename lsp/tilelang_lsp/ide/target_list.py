"""The targets that a picker offers."""

from __future__ import annotations

from dataclasses import dataclass

from tilelang.targets import archs, known_names, resolve


@dataclass(frozen=True, slots=True)
class TargetChoice:
    """One arch. ``cards``: products that have it, as settings name them. ``shared_memory``: bytes that one block may
    use, None without a limit."""

    arch: str
    family: str
    cards: tuple[str, ...]
    shared_memory: int | None


def target_choices() -> list[TargetChoice]:
    """Every arch, in the order of families and generations."""
    found = [target for name in known_names() if (target := resolve(name)) is not None]
    cards = {arch: [each.name for each in found if each.arch == arch and each.label != each.name] for arch in archs()}
    known = (target for arch in archs() if (target := resolve(arch)) is not None)
    return [
        TargetChoice(each.arch, each.family, tuple(cards[each.arch]), each.shared_memory.budget)
        for each in {target.arch: target for target in known}.values()
    ]
