"""What becomes of findings over instances, targets, tuner entries and files."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilelang.diagnostics import Diagnostic, Note, Severity
from tilelang.frontend.instance import CallLink, FileAnalysis, Instance, JitOptions, TuneEntry
from tilelang.ir.program import Program
from tilelang.ir.span import Span
from tilelang_analyzers.levels import Levels
from tilelang_analyzers.merge import merge
from tilelang_analyzers.policy import INFEASIBLE, Checked, weigh
from tilelang_analyzers.results import decode, encode, value_text
from tilelang_analyzers.rule import Finding, Group, Rule
from tilelang_analyzers.selection import TargetChoice, choose
from tilelang_analyzers.settings import Settings, SettingsError

FILE = "/p/kernel.py"


def rule(name: str, group: Group, severity: Severity = Severity.ERROR) -> Rule:
    return Rule(name, group, severity, "", "", "0.1.0", fixable=False)


SMEM = rule("shared-memory-overflow", "budget")
SHAPE = rule("gemm-shape-mismatch", "shape")
CLEAR = rule("uninitialized-accumulator", "initialisation")
ENTRY = rule(INFEASIBLE, "program", Severity.WARNING)
QUIET = rule("call-annotation", "language", Severity.OFF)
RULES = (SMEM, SHAPE, CLEAR, ENTRY, QUIET)


def at(line: int, path: str = FILE, via: Span | None = None) -> Span:
    return Span(path, line, 4, line, 10, via)


def instance(number: int = 0, **changes: object) -> Instance:
    values: dict[str, object] = {
        "program": Program("kernel", (), (), span=at(10)),
        "kernel": "kernel",
        "factory": "matmul",
        "style": "lazy",
        "path": FILE,
        "line": 10,
        "factory_path": FILE,
        "factory_line": 8,
        "bindings": {"M": number},
        "chain": (CallLink("matmul", at(100 + number)),),
    }
    return Instance(**{**values, **changes})  # type: ignore[arg-type]


def finding(about: Instance, kind: Rule = SMEM, need: int = 100, arch: str = "", **changes: object) -> Finding:
    have = {"sm_75": 48, "sm_86": 99}.get(arch, 0)
    made = Finding(
        kind,
        f"needs {need} B, above",
        at(20),
        on=f"the {have} B of {{targets}}" if arch else "",
        data={"need": need, "have": have},
        instance=about,
        arch=arch,
        label="T4" if arch == "sm_75" else arch,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def diagnostics(*checked: Checked, **settings: object) -> list[Diagnostic]:
    levels = Levels(Settings("/p", **settings), FILE, RULES)  # type: ignore[arg-type]
    analysis = FileAnalysis(FILE, tuple(one.instance for one in checked), (), ())
    return sorted(merge(weigh(checked, levels), analysis), key=lambda item: (item.span.line, item.message))


def one(about: Instance, *findings: Finding, archs: tuple[str, ...] = ("sm_75", "sm_86")) -> Checked:
    return Checked(about, archs, findings)


# --- merging ----------------------------------------------------------------------------------------------------------


def test_one_finding_for_all_targets_with_each_limit_named() -> None:
    it = instance()
    found = diagnostics(one(it, *(finding(it, arch=arch) for arch in ("sm_75", "sm_86"))))
    assert [item.message for item in found] == ["needs 100 B, above the 48 B of T4 (sm_75) and the 99 B of sm_86"]
    assert found[0].targets == ("sm_75", "sm_86")
    assert found[0].data["by_target"] == {"sm_75": {"need": 100, "have": 48}, "sm_86": {"need": 100, "have": 99}}


def test_targets_with_one_limit_share_a_phrase() -> None:
    it = instance()
    both = [finding(it, arch=arch, on="the 99 B of {targets}", label=arch) for arch in ("sm_86", "sm_89")]
    assert diagnostics(one(it, *both))[0].message == "needs 100 B, above the 99 B of sm_86 and sm_89"


def test_the_worst_instance_stands_for_all() -> None:
    three = [instance(number) for number in range(3)]
    found = diagnostics(*(one(it, finding(it, need=100 + index)) for index, it in enumerate(three)))
    assert [item.message for item in found] == ["needs 102 B, above"]
    assert found[0].notes == (Note("the same holds for 2 more instances of this kernel"),)


def test_a_finding_of_some_instances_says_which() -> None:
    bad, good = instance(1), instance(2)
    found = diagnostics(one(bad, finding(bad)), one(good))
    assert found[0].notes == (Note("for matmul(M=1)", at(101)),)


def test_messages_that_differ_in_words_stay_apart() -> None:
    it = instance()
    found = diagnostics(one(it, finding(it, message="a is 1"), finding(it, message="b is 1")))
    assert len(found) == 2


def test_a_macro_of_another_file_is_shown_at_its_use() -> None:
    it = instance()
    inside = finding(it, span=at(5, "/lib/macros.py", via=at(30)))
    found = diagnostics(one(it, inside))[0]
    assert found.span == at(30)
    assert found.notes[0].message == "the place itself"
    assert found.notes[0].span == inside.span


def test_a_call_in_another_file_keeps_its_place() -> None:
    it = instance()
    found = diagnostics(one(it, finding(it, span=at(5, "/p/tests/test_kernel.py"))))[0]
    assert found.span.path == "/p/tests/test_kernel.py"
    assert found.notes == (Note("`kernel` is here", it.program.span),)
    ignored = {"tests/**": ("budget",)}
    assert diagnostics(one(it, finding(it, span=at(5, "/p/tests/test_kernel.py"))), per_file_ignores=ignored) == []


def test_the_way_through_a_macro_is_noted_once() -> None:
    it = instance()
    found = diagnostics(one(it, finding(it, span=at(5, via=at(30)))))[0]
    assert found.span.line == 5
    assert [note.span.line for note in found.notes if note.span] == [30]


# --- severities -------------------------------------------------------------------------------------------------------


def test_possible_instances_yield_no_more_than_info() -> None:
    it = instance(certain=False)
    assert [item.severity for item in diagnostics(one(it, finding(it)))] == [Severity.INFO]


def test_levels_of_the_settings() -> None:
    it = instance()
    warned = diagnostics(one(it, finding(it)), rules={"shared-memory-overflow": "warning"})
    assert [item.severity for item in warned] == [Severity.WARNING]
    light = finding(it, SHAPE, severity=Severity.INFO)
    assert diagnostics(one(it, light), rules={"gemm-shape-mismatch": "error"})[0].severity == Severity.INFO
    assert diagnostics(one(it, finding(it)), rules={"shared-memory-overflow": "off"}) == []
    assert diagnostics(one(it, finding(it)), ignore=("budget",)) == []
    assert diagnostics(one(it, finding(it)), select=("shape",)) == []
    assert diagnostics(one(it, finding(it)), per_file_ignores={"kernel.py": ("all",)}) == []
    assert len(diagnostics(one(it, finding(it)), per_file_ignores={"other.py": ("all",)})) == 1


def test_per_target_ignores() -> None:
    it = instance()
    both = one(it, *(finding(it, arch=arch) for arch in ("sm_75", "sm_86")))
    assert diagnostics(both, per_target_ignores={"t4": ("budget",)})[0].targets == ("sm_86",)
    assert diagnostics(both, per_target_ignores={"sm_80+": ("memory",)})[0].targets == ("sm_75",)
    assert diagnostics(both, per_target_ignores={"all-nvidia": ("all",)}) == []
    groups = {"ci": ("t4", "a100")}
    assert diagnostics(both, per_target_ignores={"ci": ("budget",)}, target_groups=groups)[0].targets == ("sm_86",)


def test_levels_of_groups() -> None:
    it = instance()

    def severity(**levels: str) -> list[Severity]:
        names = {name.replace("_", "-"): level for name, level in levels.items()}
        return [item.severity for item in diagnostics(one(it, finding(it)), rules=names)]

    assert severity(budget="warning") == severity(memory="warning") == severity(all="warning") == [Severity.WARNING]
    assert severity(all="info", budget="warning") == [Severity.WARNING]
    assert severity(budget="info", shared_memory_overflow="error") == [Severity.ERROR]
    assert severity(shared_memory_overflow="error", budget="info") == [Severity.ERROR]
    assert severity(shape="off") == [Severity.ERROR]
    assert severity(all="off") == []
    off = Levels(Settings("/p", rules={"all": "error"}), FILE, RULES)
    assert "call-annotation" not in off.active
    named = Levels(Settings("/p", rules={"call-annotation": "info"}), FILE, RULES)
    assert named.active["call-annotation"][1] == Severity.INFO


def test_wider_groups_select() -> None:
    assert "shared-memory-overflow" in Levels(Settings("/p", select=("memory",)), FILE, RULES).active
    assert "gemm-shape-mismatch" not in Levels(Settings("/p", select=("memory",)), FILE, RULES).active


def test_a_rule_that_is_off_runs_once_it_is_named() -> None:
    assert "call-annotation" not in Levels(Settings("/p"), FILE, RULES).active
    named = Levels(Settings("/p", extend_select=("call-annotation",)), FILE, RULES)
    assert named.active["call-annotation"][1] == Severity.WARNING
    assert "call-annotation" not in Levels(Settings("/p", select=("language",)), FILE, RULES).active


# --- entries of a tuner -----------------------------------------------------------------------------------------------


def tuned(index: int, count: int = 2, **changes: object) -> Instance:
    return instance(
        index,
        chain=(CallLink("matmul", at(100)),),
        tune=TuneEntry(index, count, (("tile", index),), at(3 + index), at(2)),
        origin="autotune",
        **changes,
    )


def test_an_entry_that_does_not_fit_is_a_warning_at_the_entry() -> None:
    good, bad = tuned(0), tuned(1)
    found = diagnostics(one(good), one(bad, *(finding(bad, arch=arch) for arch in ("sm_75", "sm_86"))))
    assert [(item.rule, item.severity, item.span.line) for item in found] == [(INFEASIBLE, Severity.WARNING, 4)]
    assert found[0].message == (
        "this autotune entry is dropped: needs 100 B, above the 48 B of T4 (sm_75) and the 99 B of sm_86"
    )
    assert found[0].data["need"] == 100
    assert found[0].notes[0] == Note("shared-memory-overflow here", at(20))


def test_every_entry_failing_is_an_error_at_the_decorator() -> None:
    entries = [tuned(0), tuned(1)]
    checked = [one(it, finding(it, need=200 - index, arch="sm_75")) for index, it in enumerate(entries)]
    found = diagnostics(*checked)
    assert [(item.rule, item.severity, item.span.line) for item in found] == [(INFEASIBLE, Severity.ERROR, 2)]
    assert found[0].message.startswith("every one of the 2 autotune entries fails: at best needs 199 B")
    assert found[0].targets == ("sm_75",)


def test_entries_that_are_not_all_known_never_make_an_error() -> None:
    it = tuned(0, count=2)
    found = diagnostics(one(it, finding(it, arch="sm_75")))
    assert [item.severity for item in found] == [Severity.WARNING]


def test_targets_are_judged_apart() -> None:
    entries = [tuned(0), tuned(1)]
    first = one(entries[0], finding(entries[0], arch="sm_75"), finding(entries[0], arch="sm_86"))
    second = one(entries[1], finding(entries[1], arch="sm_75"))
    found = diagnostics(first, second)
    assert [(item.severity, item.span.line, item.targets) for item in found] == [
        (Severity.ERROR, 2, ("sm_75",)),
        (Severity.WARNING, 3, ("sm_86",)),
    ]


def test_what_every_entry_gets_wrong_is_an_error_of_the_kernel() -> None:
    entries = [tuned(0), tuned(1)]
    found = diagnostics(*(one(it, finding(it, SHAPE)) for it in entries))
    assert [(item.rule, item.severity) for item in found] == [("gemm-shape-mismatch", Severity.ERROR)]


def test_every_entry_failing_for_a_reason_of_its_own() -> None:
    entries = [tuned(0), tuned(1)]
    shape = finding(entries[0], SHAPE, span=at(30), data={})
    found = diagnostics(one(entries[0], shape), one(entries[1], finding(entries[1], arch="sm_75")))
    assert [(item.severity, item.span.line, item.targets) for item in found] == [
        (Severity.ERROR, 2, ("sm_75",)),
        (Severity.WARNING, 3, ()),
    ]


def test_errors_that_no_tuner_sees_stay() -> None:
    good, bad = tuned(0), tuned(1)
    found = diagnostics(one(good), one(bad, finding(bad, CLEAR)))
    assert [(item.rule, item.severity) for item in found] == [("uninitialized-accumulator", Severity.ERROR)]


def test_turning_the_entry_rule_off_does_not_bring_the_errors_back() -> None:
    good, bad = tuned(0), tuned(1)
    assert diagnostics(one(good), one(bad, finding(bad)), ignore=(INFEASIBLE,)) == []


# --- targets ----------------------------------------------------------------------------------------------------------


def archs(choice: TargetChoice, about: Instance) -> list[str]:
    return [target.arch for target in choice.of(about)[0]]


def test_targets_of_an_instance() -> None:
    chosen = choose(Settings("/p", target=("t4", "a100", "h100", "mi300x")))
    assert archs(chosen, instance()) == ["sm_75", "sm_80", "sm_90", "gfx942"]
    assert archs(chosen, instance(jit=JitOptions(target="cuda"))) == ["sm_75", "sm_80", "sm_90"]
    assert archs(chosen, instance(jit=JitOptions(target="cuda -arch=sm_90a"))) == ["sm_90"]
    assert archs(chosen, instance(requires=("sm_80", "sm_90", "sm_100"))) == ["sm_80", "sm_90"]
    assert archs(chosen, instance(arch="sm_75")) == ["sm_75"]
    assert archs(chosen, instance(arch="sm_75", requires=("sm_90",))) == []


def test_without_a_choice_the_program_names_the_target() -> None:
    free = choose(Settings("/p"))
    assert free.chosen is None
    assert (archs(free, instance()), free.of(instance())[1]) == (["sm_80"], True)
    named = instance(jit=JitOptions(target="hip -mcpu=gfx942"))
    assert (archs(free, named), free.of(named)[1]) == (["gfx942"], False)
    assert archs(free, instance(requires=("sm_90", "sm_100"))) == ["sm_90"]
    assert archs(free, instance(requires=("sm_75", "sm_80"))) == ["sm_80"]


def test_the_settings_choose_the_limit_of_a_target() -> None:
    budget = {
        optin: choose(Settings("/p", target=("t4",), targets={"T4": {"shared-memory-optin": optin}})).of(instance())
        for optin in (True, False)
    }
    assert budget[True][0][0].shared_memory.budget == 65536
    assert budget[False][0][0].shared_memory.budget == 49152


def test_unknown_targets_are_errors() -> None:
    with pytest.raises(SettingsError, match="unknown target 'sm_7'"):
        choose(Settings("/p", target=("sm_7",)))
    with pytest.raises(SettingsError, match="unknown target 'nope'"):
        choose(Settings("/p", targets={"nope": {}}))


# --- records ----------------------------------------------------------------------------------------------------------


def test_records_survive_json() -> None:
    import json

    item = Diagnostic(
        "r",
        Severity.WARNING,
        "m",
        at(1, via=at(2)),
        (Note("n", at(3)), Note("o")),
        targets=("a",),
        data={"x": [1, None]},
    )
    again = decode(json.loads(json.dumps(encode(item))))
    assert isinstance(again, Diagnostic)
    assert again == item
    assert again.data == {"x": (1, None)}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "?"),
        (128, "128"),
        ("float16", "float16"),
        ([1, [2, None]], "[1, [2, ?]]"),
        ({"shape": [64, None], "dtype": "float16"}, "float16[64, ?]"),
        ({"a": 1}, "{…}"),
        ("x" * 50, "x" * 39 + "…"),
    ],
)
def test_values_as_text(value: object, expected: str) -> None:
    assert value_text(value) == expected
