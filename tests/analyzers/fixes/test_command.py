"""`--fix` and what belongs to it, as a user meets them."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from analyzers.projects import TOO_LARGE, Command, idle_comment, kernel, misspelt, notebook


def stdin(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_safe_fixes_are_applied_and_the_rest_is_reported(check: Command) -> None:
    check.write("k.py", idle_comment() + misspelt("other"))
    assert check("--fix") == 1
    assert check.read("k.py") == kernel() + misspelt("other")
    assert check.err == "fixed 1 finding in 1 file\n"
    assert "unknown-name" in check.out
    assert "unused-suppression" not in check.out
    assert check("--fix", "--unsafe-fixes") == 0
    assert check.read("k.py") == kernel() + kernel("other")
    assert check("--fix", "--unsafe-fixes") == 0
    assert check.err == ""


def test_exit_codes(check: Command) -> None:
    def code(text: str, *arguments: str) -> int:
        check.write("k.py", text)
        return check(*arguments)

    assert code(idle_comment(), "--fix") == 0
    assert code(idle_comment(), "--fix", "--exit-non-zero-on-fix") == 1
    assert code(kernel(), "--fix", "--exit-non-zero-on-fix") == 0
    assert code(idle_comment(), "--fix", "--exit-non-zero-on-fix", "--exit-zero") == 0
    assert code(misspelt(), "--fix") == 1
    assert code(misspelt(), "--fix-only") == 0
    assert check.out == ""
    assert code(misspelt(), "--diff") == 0
    assert code(misspelt(), "--diff", "--unsafe-fixes") == 1
    assert code(misspelt(), "--diff", "--unsafe-fixes", "--exit-zero") == 0
    check.write("gone/k.py", "")
    assert code(misspelt(), "--fix-only", "k.py", "no-such.py") == 2


def test_a_diff_is_what_fixing_does(check: Command) -> None:
    check.write("a/k.py", misspelt())
    check.write("n.ipynb", notebook(misspelt("one"), "x = 1\n" + misspelt("two")))
    check.write("end.py", idle_comment("three").rstrip("\n"))
    before = {name: check.read(name) for name in ("a/k.py", "n.ipynb", "end.py")}
    assert check("--diff", "--unsafe-fixes") == 1
    assert {name: check.read(name) for name in before} == before
    assert check.err == "would fix 4 findings in 3 files\n"
    patch = check.out
    done = subprocess.run(["git", "apply", "-p0", "-"], input=patch, text=True, capture_output=True, check=False)
    assert done.stderr == ""
    patched = {name: check.read(name) for name in before}
    for name, text in before.items():
        check.write(name, text)
    assert check("--fix", "--unsafe-fixes") == 0
    assert {name: check.read(name) for name in before} == patched
    assert check("--diff", "--unsafe-fixes") == 0
    assert (check.out, check.err) == ("", "nothing to fix\n")


def test_fixes_are_listed(check: Command) -> None:
    check.write("k.py", idle_comment() + misspelt("other") + idle_comment("third"))
    check("--fix-only", "--show-fixes", "--unsafe-fixes")
    assert check.err == (
        "fixed 3 findings in 1 file:\n"
        "  k.py\n"
        "    1 × unknown-name: Replace `cpoy` by `copy`\n"
        "    2 × unused-suppression: Remove the comment\n"
    )


def test_a_fix_may_be_in_another_file_of_the_run_only(check: Command) -> None:
    check.write("ops/k.py", kernel().partition("\n\ndouble")[0])
    check.write("use.py", f"from ops.k import double\n\ndouble(4096, block={TOO_LARGE})\n")
    assert check("ops", "--fix", "--unsafe-fixes") == 1
    assert f"block={TOO_LARGE}" in check.read("use.py")
    assert check(".", "--fix", "--unsafe-fixes") == 0
    assert f"block={TOO_LARGE}" not in check.read("use.py")


def test_standard_input_is_printed_fixed(check: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    check.write("sub/pyproject.toml", "[tool.tilelang]\nignore = ['unknown-name']\n")
    text = idle_comment() + misspelt("other")
    stdin(monkeypatch, text)
    assert check("-", "--stdin-filename", "k.py", "--fix") == 1
    assert check.out == kernel() + misspelt("other")
    assert "unknown-name" in check.err
    stdin(monkeypatch, text)
    assert check("-", "--stdin-filename", "sub/k.py", "--fix") == 0
    assert check.out == kernel() + misspelt("other")
    stdin(monkeypatch, kernel())
    assert check("-", "--stdin-filename", "k.py", "--fix", "-q") == 0
    assert (check.out, check.err) == (kernel(), "")
    stdin(monkeypatch, text)
    assert check("-", "--stdin-filename", "k.py", "--diff") == 1
    assert check.out.startswith("--- k.py\n+++ k.py\n@@ ")
    assert not Path("k.py").exists()


def test_a_file_with_two_names_is_fixed_once(check: Command) -> None:
    path = check.write("k.py", idle_comment())
    (check.folder / "link.py").symlink_to(path)
    assert check("--fix") == 0
    assert check.read("link.py") == check.read("k.py") == kernel()
    assert (check.folder / "link.py").is_symlink()


def test_what_cannot_be_written_is_told(check: Command) -> None:
    check.write("k.py", idle_comment()).chmod(0o444)
    check.write("l.py", idle_comment("other"))
    assert check("--fix") == 2
    assert "k.py: not written: the file is read-only\n" in check.err
    assert check.read("l.py") == kernel("other")


@pytest.mark.parametrize("other", ["--write-baseline", "--add-ignore", "--watch"])
def test_options_that_exclude_each_other(check: Command, other: str) -> None:
    assert check("--fix", other) == 2
    assert check.err == f"tilelang-check: --fix and {other} cannot be combined\n"


def test_broken_fixes_are_dropped_and_endless_ones_undone(check: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from tilelang.diagnostics import Edit, Fix, Severity
    from tilelang.ir.span import Span
    from tilelang_analyzers.rule import FileContext, Rule
    from tilelang_analyzers.rules import load

    texts = {"k.py": "x = 1", "l.py": "("}

    def grow(ctx: FileContext) -> None:
        text = texts[Path(ctx.path).name]
        fix = Fix("grow", (Edit(Span(ctx.path, 1, 0, 1, 0), f"{text}\n"),), safe=True)
        ctx.report(Span(ctx.path, 1, 0, 1, 1), "not long enough", fix=fix)

    rule: Rule = load("call-annotation")
    monkeypatch.setattr(rule, "file_hook", grow)
    monkeypatch.setattr(rule, "severity", Severity.WARNING)
    check.write("k.py", kernel())
    check.write("l.py", kernel("other"))
    assert check("--fix", "--jobs", "1") == 2
    assert check.read("k.py") == kernel()
    assert check.read("l.py") == kernel("other")
    assert "l.py: no fix for call-annotation (grow): it would break the syntax\n" in check.err
    assert "k.py: the fixes undo each other; nothing is changed (please report it)\n" in check.err
