"""`--add-ignore`: a comment for every finding, on its line, and never inside a string."""

from __future__ import annotations

import io
import json
import sys

import pytest
from analyzers.projects import Command, idle_comment, kernel, misspelt, notebook

from tilelang.diagnostics import Diagnostic, Severity
from tilelang.ir.span import Span
from tilelang_analyzers.add_ignores import suppress_all

PATH = "/p/k.py"


def at(line: int, rule: str = "a", path: str = PATH) -> Diagnostic:
    return Diagnostic(rule, Severity.WARNING, "m", Span(path, line, 0, line, 1))


def written(text: str, *found: Diagnostic, reason: str = "") -> str:
    done = suppress_all(found, {PATH: text.encode()}, reason)
    assert done.dropped == []
    return done.files[0].after.decode()


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("f()\ng()\n", 2, "f()\ng()  # tl: ignore[a]\n"),
        ("f()\r\ng()", 2, "f()\r\ng()  # tl: ignore[a]"),
        ("f()   \n", 1, "f()  # tl: ignore[a]\n"),
        ("f()  # why\n", 1, "f()  # why  # tl: ignore[a]\n"),
        ("größe()\n", 1, "größe()  # tl: ignore[a]\n"),
        ("f(\n    1,\n    2,\n)\n", 2, "f(\n    1,  # tl: ignore[a]\n    2,\n)\n"),
        ('f("""x\ny""",\n  2)\n', 1, 'f("""x\ny""",\n  2)  # tl: ignore[a]\n'),
        ('f("""x\ny""",\n  2)\n', 2, 'f("""x\ny""",  # tl: ignore[a]\n  2)\n'),
        ("x = 1 + \\\n    2\n", 1, "x = 1 + \\\n    2  # tl: ignore[a]\n"),
        ("x = '# not a comment'\n", 1, "x = '# not a comment'  # tl: ignore[a]\n"),
        ("if x:\n    f()\n", 1, "if x:  # tl: ignore[a]\n    f()\n"),
        # Comments that are there already.
        ("f()  # tl: ignore[b] why\n", 1, "f()  # tl: ignore[b, a] why\n"),
        ("# tl: ignore[b] why\nf()\n", 2, "# tl: ignore[b, a] why\nf()\n"),
        ("# tl: ignore-file[b]\nf()\n", 2, "# tl: ignore-file[b]\nf()  # tl: ignore[a]\n"),
        ("f()  # tl: ignore[b]\ng()\n", 2, "f()  # tl: ignore[b]\ng()  # tl: ignore[a]\n"),
    ],
)
def test_where_the_comment_goes(text: str, line: int, expected: str) -> None:
    assert written(text, at(line)) == expected


def test_rules_of_one_line_share_a_comment() -> None:
    assert written("f()\ng()\n", at(1, "b"), at(1), at(2), at(1), reason="later") == (
        "f()  # tl: ignore[a, b] later\ng()  # tl: ignore[a] later\n"
    )


def test_what_gets_no_comment() -> None:
    info = Diagnostic("a", Severity.INFO, "m", Span(PATH, 1, 0, 1, 1))
    assert suppress_all([info, at(1, "unused-suppression"), at(1, "syntax-error")], {PATH: b"f()\n"}, "").files == []
    elsewhere = at(1, path="/p/other.py")
    broken = suppress_all([at(1), elsewhere], {PATH: b"f(\n"}, "")
    assert (broken.files, [reason for _, reason in broken.dropped]) == (
        [],
        ["the file has syntax errors", "the file is not among those to check"],
    )


def test_after_it_nothing_is_reported(check: Command) -> None:
    check.write("k.py", misspelt() + misspelt("other"))
    check.write("n.ipynb", notebook("%load_ext x\n" + misspelt("third"), "x = 1"))
    cells = json.loads(check.read("n.ipynb"))["cells"]
    assert check("--add-ignore=found by the new checker", ".") == 0
    assert check.err == "added 3 comments in 2 files\n"
    comment = "  # tl: ignore[unknown-name] found by the new checker"
    line = "            T.cpoy(A[bx * block], tile)"
    assert check.read("k.py") == (misspelt() + misspelt("other")).replace(line, line + comment)
    after = json.loads(check.read("n.ipynb"))["cells"]
    assert [it for it in after[0]["source"] if it not in cells[0]["source"]] == [f"{line}{comment}\n"]
    assert after[1] == cells[1]
    assert check() == 0
    before = check.read("k.py")
    assert check("--add-ignore") == 0
    assert check.err == "added 0 comments in 0 files\n"
    assert check.read("k.py") == before


def test_what_is_left_is_reported(check: Command) -> None:
    check.write("k.py", misspelt() + idle_comment("other"))
    assert check("--add-ignore") == 1
    assert "unused-suppression" in check.out
    assert "unknown-name" not in check.out
    check.write("broken.py", kernel() + "x = (\n")
    assert check("--add-ignore") == 1


def test_standard_input(check: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(misspelt().encode())))
    assert check("-", "--add-ignore") == 0
    assert check.out == misspelt().replace(
        "tile)\n            for", "tile)  # tl: ignore[unknown-name]\n            for"
    )


@pytest.mark.parametrize("reason", ["a # b", "a\nb"])
def test_a_reason_is_one_line_of_text(check: Command, reason: str) -> None:
    check.write("k.py", misspelt())
    assert check(f"--add-ignore={reason}") == 2
    assert check.err == "tilelang-check: --add-ignore: a reason is one line of text without `#`\n"
