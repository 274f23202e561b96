"""The documentation of each rule has the parts that readers look for."""

from __future__ import annotations

import re

import pytest

from tilelang_analyzers import rules

NAMES = rules.names()


@pytest.mark.parametrize("name", NAMES)
def test_parts(name: str) -> None:
    rule = rules.load(name)
    parts = re.findall(r"^## (.+)$", rule.doc, re.MULTILINE)
    expected = ["What it does", "Why is this bad?", "Example", "Use instead"]
    assert parts[:4] == expected
    assert ("Fix safety" in parts) is rule.fixable
    assert set(parts[4:]) <= {"Fix safety", "Targets"}
    assert rule.summary.endswith(".")
    assert rule.doc.count("```") % 2 == 0


@pytest.mark.parametrize("name", NAMES)
def test_rules_that_depend_on_the_target_say_how(name: str) -> None:
    rule = rules.load(name)
    hooks = (rule.problem_hook, rule.instance_hook, rule.file_hook)
    if rule.target_dependent and not any(hooks):
        assert "## Targets" in rule.doc


def test_every_rule_has_a_name_of_its_own() -> None:
    assert len({rules.load(name).name for name in NAMES}) == len(NAMES) > 40
