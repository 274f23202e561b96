"""What becomes of findings of instances that may not exist, are meant to fail, or are entries of a tuner.

- Possible instances exist only under a condition that is not known. Their findings become ``info``: they never fail a
  run, and still show what would happen.
- Instances that a test expects to fail yield nothing; the engine does not run rules on them.
- A tuner drops an entry that does not compile or launch, so an error of a compile group becomes the warning
  `autotune-infeasible-config` at the entry. If every entry of one call fails on a target, that is an error at the
  decorator; if every entry fails with one and the same finding that is no matter of budget, the kernel is wrong
  whatever the entry and the finding stays as it is.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tilelang.diagnostics import Note, Severity
from tilelang_analyzers.rule import COMPILE_GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tilelang.frontend.instance import Instance, TuneEntry
    from tilelang_analyzers.levels import Levels
    from tilelang_analyzers.rule import Finding, Rule

INFEASIBLE = "autotune-infeasible-config"


@dataclass(frozen=True, slots=True)
class Checked:
    """One instance with its findings and the arch names that it was checked for."""

    instance: Instance
    archs: tuple[str, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Weighed:
    """A finding with its severity."""

    finding: Finding
    severity: Severity


def is_error(finding: Finding) -> bool:
    """Whether a rule calls the program wrong, before any policy."""
    return (finding.severity or finding.rule.severity) == Severity.ERROR


def weigh(checked: Iterable[Checked], levels: Levels) -> list[Weighed]:
    """The findings of all instances of one file with their severities; those that are off are left out."""
    weighed: list[Weighed] = []
    tuned: dict[object, list[Checked]] = defaultdict(list)
    for one in checked:
        if one.instance.tune is not None:
            tuned[_call_of(one.instance, one.instance.tune)].append(one)
        else:
            weighed += _plain(one, one.findings, levels)
    for entries in tuned.values():
        weighed += _tuned(entries, levels)
    return weighed


def _plain(one: Checked, findings: Iterable[Finding], levels: Levels) -> list[Weighed]:
    weighed: list[Weighed] = []
    for finding in findings:
        severity = levels.severity(finding)
        if not one.instance.certain and not _holds_anyway(finding, one.instance):
            severity = min(severity, Severity.INFO)
        if severity:
            weighed.append(Weighed(finding, severity))
    return weighed


VALUE_FREE = frozenset(("unknown-name", "unknown-argument"))
"""Rules whose errors do not depend on the values of the instance."""


def _holds_anyway(finding: Finding, instance: Instance) -> bool:
    """A kernel that nothing calls is looked at with guessed values; a name that does not exist is wrong with any."""
    return instance.origin == "symbolic" and finding.rule.name in VALUE_FREE


# --- entries of a tuner -----------------------------------------------------------------------------------------------


def _call_of(instance: Instance, tune: TuneEntry) -> object:
    """What the entries of one tuned call share."""
    return (tune.decorator, tune.count, instance.kernel, tuple(link.span for link in instance.chain))


def _tuned(entries: list[Checked], levels: Levels) -> list[Weighed]:
    entry = levels.active.get(INFEASIBLE)
    weighed: list[Weighed] = []
    stopping = [[item for item in one.findings if _stops(item) and levels.severity(item)] for one in entries]
    common = _common(entries, stopping)
    for one in entries:
        kept = [item for item in one.findings if not (_stops(item) and not _is_common(item, common))]
        weighed += _plain(one, kept, levels)
    if entry is None:
        return weighed
    rule = entry[0]
    own = [[item for item in stops if not _is_common(item, common)] for stops in stopping]
    hopeless = _hopeless_archs(entries, own)
    for arch, nearest in hopeless.items():
        weighed += _every_entry_fails(rule, nearest, arch, levels)
    for one, stops in zip(entries, own, strict=True):
        # What holds on all targets is told already if they are all hopeless.
        known = {*hopeless, ""} if len(hopeless) == len(one.archs) else {*hopeless}
        weighed += _plain(one, [_at_entry(rule, item, one) for item in stops if item.arch not in known], levels)
    return weighed


def _stops(finding: Finding) -> bool:
    return is_error(finding) and finding.rule.group in COMPILE_GROUPS


def _place(finding: Finding) -> tuple[object, ...]:
    span = finding.span
    return (finding.rule.name, span.path, span.line, span.col, finding.arch)


def _common(entries: list[Checked], stopping: list[list[Finding]]) -> set[tuple[object, ...]]:
    """Places of findings, other than of the budget, that every entry has."""
    if len(entries) < 2:
        return set()
    sets = [{_place(item) for item in stops if item.rule.group != "budget"} for stops in stopping]
    return sets[0].intersection(*sets[1:])


def _is_common(finding: Finding, common: set[tuple[object, ...]]) -> bool:
    return _place(finding) in common


def _hopeless_archs(entries: list[Checked], own: list[list[Finding]]) -> Mapping[str, Finding]:
    """Archs on which every entry of the call fails, each with the finding that misses by least."""
    tune = entries[0].instance.tune
    assert tune is not None
    if len({one.instance.tune.index for one in entries if one.instance.tune}) < tune.count:
        return {}
    hopeless: dict[str, Finding] = {}
    for arch in entries[0].archs:
        failing = [[item for item in stops if item.arch in ("", arch)] for stops in own]
        if all(failing):
            hopeless[arch] = min((item for items in failing for item in items), key=_need)
    return hopeless


def _need(finding: Finding) -> float:
    need = finding.data.get("need")
    return need if isinstance(need, (int, float)) else float("inf")


def _at_entry(rule: Rule, finding: Finding, one: Checked) -> Finding:
    tune = one.instance.tune
    assert tune is not None
    return replace(
        finding,
        rule=rule,
        message=f"this autotune entry is dropped: {finding.message}",
        span=tune.span,
        notes=(Note(f"{finding.rule.name} here", finding.span), *finding.notes),
        fix=None,
        severity=None,
    )


def _every_entry_fails(rule: Rule, finding: Finding, arch: str, levels: Levels) -> list[Weighed]:
    instance = finding.instance
    assert instance is not None
    assert instance.tune is not None
    count = instance.tune.count
    subject = "the only autotune entry fails" if count == 1 else f"every one of the {count} autotune entries fails"
    least = "" if count == 1 else "at best "
    whole = replace(
        finding,
        rule=rule,
        message=f"{subject}: {least}{finding.message}",
        span=instance.tune.decorator,
        notes=(Note(f"{finding.rule.name} here", finding.span), *finding.notes),
        fix=None,
        severity=Severity.ERROR,
        arch=arch,
    )
    return _plain(Checked(instance, (arch,), ()), [whole], levels)
