"""`--diff-base`: findings on kernels that differ from a revision, and no others."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from analyzers.projects import Command, kernel, misspelt, notebook

Shown = list[tuple[str, str]]
WRONG = "unknown-name"


def git(*arguments: str) -> None:
    identity = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", *arguments], check=True, capture_output=True, env=environment)


def commit() -> None:
    git("add", "-A")
    git("commit", "-q", "-m", "x", "--allow-empty")


@pytest.fixture
def repository(check: Command) -> Command:
    """Two wrong kernels in one file, committed; a third file is right."""
    git("init", "-q", "-b", "main")
    check.write(".gitignore", ".tilelang-cache\n")
    check.write("k.py", misspelt("one") + "\n\n" + misspelt("two"))
    check.write("right.py", kernel("right"))
    commit()
    return check


def shown(check: Command, base: str = "HEAD") -> Shown:
    return check.found("--diff-base", base)


def test_nothing_is_shown_where_nothing_changed(repository: Command) -> None:
    assert len(repository.found()) == 2
    assert repository("--diff-base", "HEAD") == 0
    assert "2 findings on kernels that are the same in HEAD not shown\n" in repository.err


def test_a_change_anywhere_in_a_kernel_shows_its_findings(repository: Command) -> None:
    text = repository.read("k.py")
    first, second = text.index("* 2.0"), text.rindex("* 2.0")
    for place, line in ((first, 10), (second, 10 + misspelt().count("\n") + 2)):
        repository.write("k.py", f"{text[:place]}* 3.0{text[place + 5 :]}")
        repository("--diff-base", "HEAD", "--format", "concise")
        assert [it.split(":")[:2] for it in repository.out.splitlines() if WRONG in it] == [["k.py", str(line + 1)]]


def test_a_change_beside_the_kernels_shows_none(repository: Command) -> None:
    repository.write("k.py", "# a comment\n" + repository.read("k.py") + "\nx = 1\n")
    assert shown(repository) == []


def test_a_line_that_is_only_gone_counts(repository: Command) -> None:
    text = repository.read("k.py")
    repository.write(
        "k.py",
        text.replace("            for i in T.Parallel(block):\n                tile[i] = tile[i] * 2.0\n", "", 1),
    )
    assert shown(repository) == [("k.py", WRONG)]


def test_a_new_call_shows_what_it_breaks(repository: Command) -> None:
    repository.write("right.py", kernel("right") + "right(4096, 65536)\n")
    assert shown(repository) == [("right.py", "shared-memory-overflow")]
    commit()
    assert shown(repository) == []
    repository.write("use.py", "from right import right\n\nright(4096, 131072)\n")
    assert shown(repository) == [("use.py", "shared-memory-overflow")]


def test_untracked_staged_and_committed_files(repository: Command) -> None:
    repository.write("new.py", misspelt("new"))
    assert shown(repository) == [("new.py", WRONG)]
    git("add", "new.py")
    assert shown(repository) == [("new.py", WRONG)]
    commit()
    assert shown(repository) == []
    assert shown(repository, "HEAD~1") == [("new.py", WRONG)]


def test_a_renamed_file_is_not_a_new_one(repository: Command) -> None:
    git("mv", "k.py", "name with späce.py")
    assert shown(repository) == []
    text = repository.read("name with späce.py")
    repository.write("name with späce.py", text.replace("* 2.0", "* 3.0", 1))
    assert shown(repository) == [("name with späce.py", WRONG)]


def test_what_others_changed_on_the_base_branch_is_not_ours(repository: Command) -> None:
    git("switch", "-q", "-c", "ours")
    repository.write("ours.py", misspelt("ours"))
    commit()
    git("switch", "-q", "main")
    repository.write("k.py", repository.read("k.py").replace("* 2.0", "* 3.0"))
    commit()
    git("switch", "-q", "ours")
    assert shown(repository, "main") == [("ours.py", WRONG)]


def test_cells_of_a_notebook(repository: Command) -> None:
    repository.write("n.ipynb", notebook(misspelt("a"), "x = 1", misspelt("b")))
    assert len(shown(repository)) == 2
    commit()
    assert shown(repository) == []
    repository.write("n.ipynb", notebook("y = 2", misspelt("a"), misspelt("b").replace("* 2.0", "* 3.0")))
    repository("--diff-base", "HEAD", "--format", "concise")
    assert [it.split(":")[:2] for it in repository.out.splitlines() if WRONG in it] == [["n.ipynb", "cell 3"]]


def test_only_touched_kernels_are_fixed(repository: Command) -> None:
    text = repository.read("k.py")
    changed = text.replace("* 2.0", "* 3.0", 1)
    repository.write("k.py", changed)
    assert repository("--diff-base", "HEAD", "--fix", "--unsafe-fixes") == 0
    assert repository.read("k.py") == changed.replace("cpoy", "copy", 1)


def test_from_a_folder_below_the_root(repository: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    path = repository.write("sub/new.py", misspelt("new"))
    monkeypatch.chdir(path.parent)
    assert shown(repository) == [("new.py", WRONG)]


def test_files_outside_the_repository_are_shown(repository: Command) -> None:
    repository.write("../elsewhere/k.py", misspelt("far"))
    assert repository.found("--diff-base", "HEAD", ".", "../elsewhere")[0][1] == WRONG


def test_without_a_repository_or_revision(check: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(Path.cwd().parent))
    check.write("k.py", misspelt())
    assert check("--diff-base", "main") == 2
    assert check.err.startswith("tilelang-check: --diff-base: git rev-parse: not a git repository")
    git("init", "-q", "-b", "main")
    commit()
    for revision in ("no-such", "--output=x", ""):
        assert check(f"--diff-base={revision}") == 2
        assert check.err == f"tilelang-check: --diff-base {revision}: no such revision in {Path.cwd()}\n"
    assert not Path("x").exists()
    monkeypatch.setenv("PATH", "")
    assert check("--diff-base", "main") == 2
    assert check.err.startswith("tilelang-check: --diff-base needs git: ")
