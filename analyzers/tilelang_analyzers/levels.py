"""Which rules run and how much their findings weigh, from the settings."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from tilelang.diagnostics import Severity
from tilelang_analyzers import rules
from tilelang_analyzers.discover import matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tilelang_analyzers.rule import Finding, Rule
    from tilelang_analyzers.settings import Settings


class Levels:
    """The levels of one file. A rule that is off by default and selected by its own name warns."""

    __slots__ = ("_configured", "_every", "_ignored_in", "_ignored_on", "_settings", "active", "known")

    def __init__(self, settings: Settings, path: str, known: Iterable[Rule] | None = None) -> None:
        every = tuple(known) if known is not None else rules.load_all()
        self.known = frozenset(rule.name for rule in every)
        """Every rule's name, whether it runs or not."""
        self._configured = _configured(settings.rules, every)
        self._ignored_on = _ignored_on(settings, every)
        self._every = every
        self._settings = settings
        self._ignored_in: dict[str, set[str]] = {}
        ignored = rules.selected(settings.ignore, every) | self._ignored_in_file(path)
        chosen = rules.selected(settings.select, every) if settings.select else {rule.name for rule in every}
        chosen |= rules.selected(settings.extend_select, every)
        by_name = {*settings.select, *settings.extend_select}
        self.active: Mapping[str, tuple[Rule, Severity]] = {}
        """Rules that run, by name, each with the level of its findings."""
        for rule in every:
            level = self._configured.get(rule.name)
            if level is None:
                level = rule.severity or (Severity.WARNING if rule.name in by_name else Severity.OFF)
            if level and rule.name in chosen and rule.name not in ignored:
                self.active[rule.name] = (rule, level)

    def severity(self, finding: Finding) -> Severity:
        """The weight of one finding. A finding that is lighter than its rule stays lighter."""
        entry = self.active.get(finding.rule.name)
        name = finding.rule.name
        if entry is None or name in self._ignored_on.get(finding.arch, ()):
            return Severity.OFF
        if name in self._ignored_in_file(finding.span.path):
            return Severity.OFF
        if finding.severity is None:
            return entry[1]
        if name in self._configured:
            return min(finding.severity, entry[1])
        return finding.severity

    def _ignored_in_file(self, path: str) -> set[str]:
        if path not in self._ignored_in:
            patterns = self._settings.per_file_ignores
            lists = [names for pattern, names in patterns.items() if matches(pattern, Path(path), self._settings.root)]
            self._ignored_in[path] = {name for names in lists for name in rules.selected(names, self._every)}
        return self._ignored_in[path]


def _configured(levels: Mapping[str, str], every: Iterable[Rule]) -> dict[str, Severity]:
    """Levels by rule: its own, else its group's, else that of ``all``. A level of several rules turns none of them on
    that is off by default."""
    found: dict[str, Severity] = {}
    for name in sorted(levels, key=lambda name: (name != "all", name not in (*rules.GROUPS, *rules.WIDER_GROUPS))):
        level = Severity[levels[name].upper()]
        for rule in every:
            if rule.name == name or (rule.severity and rule.name in rules.selected([name], [rule])):
                found[rule.name] = level
    return found


def _ignored_on(settings: Settings, every: Iterable[Rule]) -> dict[str, set[str]]:
    """Rules by arch. A key of the settings may be any name of targets: a card, an arch, a range or a group."""
    ignored: dict[str, set[str]] = defaultdict(set)
    if settings.per_target_ignores:
        from tilelang.targets import parse_target_list

        for name, names in settings.per_target_ignores.items():
            for target in parse_target_list(settings.expanded([name]))[0]:
                ignored[target.arch] |= rules.selected(names, every)
    return ignored
