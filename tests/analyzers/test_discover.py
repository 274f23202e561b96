"""Which files a run looks at."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tilelang_analyzers.discover import discover, glob_pattern, matches
from tilelang_analyzers.settings import Settings


def tree(root: Path, *files: str) -> None:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def found(root: Path, *paths: str, **settings: object) -> list[str]:
    made = Settings(str(root), **settings)  # type: ignore[arg-type]
    result = discover([str(root / path) for path in paths or ("",)], lambda folder: made)
    return [os.path.relpath(file, root) for file in result.files]


def test_folders_give_python_files_and_notebooks_without_the_usual_rubbish(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "a/k.py", "a/n.ipynb", "a/readme.md", "a/k.pyc", ".venv/x.py", "build/x.py", "x/.git/h.py")
    tree(tmp_path, "node_modules/m/x.py", "a/__pycache__/k.py")
    assert found(tmp_path) == ["a/k.py", "a/n.ipynb", "b.py"]


def test_a_named_file_is_taken_in_spite_of_excludes(tmp_path: Path) -> None:
    tree(tmp_path, "build/x.py", "a.py")
    (tmp_path / "script").write_text("#!/usr/bin/env python3\n")
    assert found(tmp_path, "build/x.py", "script", exclude=("*.py",)) == ["build/x.py", "script"]
    assert found(tmp_path, "build") == ["build/x.py"]


def test_exclude_patterns(tmp_path: Path) -> None:
    tree(tmp_path, "a/gen/x.py", "a/x_gen.py", "gen/y.py", "a/keep.py", "b/c/d.py")
    assert found(tmp_path, exclude=("gen", "*_gen.py")) == ["a/keep.py", "b/c/d.py"]
    assert found(tmp_path, exclude=("a/gen/", "b/**")) == ["a/keep.py", "a/x_gen.py", "gen/y.py"]


def test_gitignore(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    tree(tmp_path, "a/out/x.py", "a/out.py", "a/skip.py", "a/deep/skip.py", "a/deep/keep.py", "top.py", "b/top.py")
    (tmp_path / ".gitignore").write_text("# comment\nout/\nskip.py\n/top.py\n")
    (tmp_path / "a" / "deep" / ".gitignore").write_text("!skip.py\n")
    kept = ["a/deep/keep.py", "a/deep/skip.py", "a/out.py", "b/top.py"]
    assert found(tmp_path) == kept
    assert found(tmp_path, "a") == kept[:3]
    assert len(found(tmp_path, respect_gitignore=False)) == 7


def test_gitignore_as_git_reads_it(tmp_path: Path) -> None:
    """Nested files, escapes, patterns with folders in the middle, and what cannot be taken back in."""
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".git" / "info").mkdir(exist_ok=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("private.py\n")
    names = ["a/gen/x.py", "a/gen/keep.py", "b/deep/c/x.py", "b/c/x.py", "#odd.py", "!odd.py", "tail.py", "z1.py"]
    tree(tmp_path, *names, "z2.py", "private.py", "log/x.py", "log/sub/y.py", "a/private.py", "on/off/k.py")
    lines = [
        "a/gen/*",
        "!a/gen/keep.py",
        "b/**/c/",
        r"\#odd.py",
        r"\!odd.py",
        "z[!2].py",
        "log/",
        "!log/sub/y.py",
        "tail.py   ",
    ]
    (tmp_path / ".gitignore").write_text("\r\n".join(lines) + "\r\n")
    (tmp_path / "a" / ".gitignore").write_text("!private.py\n")
    (tmp_path / "on").mkdir(exist_ok=True)
    (tmp_path / "on" / ".gitignore").write_text("*\n!off/\n!off/k.py\n")
    assert found(tmp_path) == ["a/gen/keep.py", "a/private.py", "on/off/k.py", "z2.py"]
    everything = found(tmp_path, respect_gitignore=False)
    assert len(everything) == 14
    for path in everything:
        ignored = subprocess.run(["git", "check-ignore", "-q", path], cwd=tmp_path, check=False).returncode == 0
        assert ignored == (path not in found(tmp_path)), path


def test_an_ignored_folder_that_is_named_is_searched(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    tree(tmp_path, "out/a/x.py", "out/a/skip.py")
    (tmp_path / ".gitignore").write_text("out/\n")
    (tmp_path / "out" / ".gitignore").write_text("skip.py\n")
    assert found(tmp_path) == []
    assert found(tmp_path, "out") == ["out/a/x.py"]
    assert found(tmp_path, "out/a") == ["out/a/x.py"]


def test_include_patterns(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "b.ipynb", "c.tl", "sub/d.py", "sub/e.tl")
    assert found(tmp_path, include=("*.tl", "sub/*.py")) == ["c.tl", "sub/d.py", "sub/e.tl"]


def test_force_exclude_holds_for_named_files(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    tree(tmp_path, "gen/x.py", "gen/deep/y.py", "build/z.py", "out/u.py", "a.py", "b_gen.py")
    (tmp_path / ".gitignore").write_text("out/\n")
    names = ("gen/x.py", "gen/deep/y.py", "build/z.py", "out/u.py", "a.py", "b_gen.py")
    exclude = ("gen/", "*_gen.py")
    assert found(tmp_path, *names, exclude=exclude) == sorted(names)
    assert found(tmp_path, *names, exclude=exclude, force_exclude=True) == ["a.py"]
    assert found(tmp_path, "gen", "build", "out", exclude=exclude, force_exclude=True) == []
    assert found(tmp_path, "out", "out/u.py", force_exclude=True, respect_gitignore=False) == ["out/u.py"]


def test_folders_above_the_project_exclude_nothing(tmp_path: Path) -> None:
    root = tmp_path / "build" / "project"
    tree(root, "a.py")
    assert found(root, "a.py", force_exclude=True) == ["a.py"]
    assert found(root) == ["a.py"]


def test_files_that_cannot_be_read_do_not_hide_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, "a.py", "closed/b.py", "open/c.py")
    scan = os.scandir

    def refusing(path: Path) -> object:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    result = discover([str(tmp_path)], lambda folder: Settings(str(tmp_path)))
    assert [Path(file).name for file in result.files] == ["a.py", "c.py"]
    assert result.problems == [(str(tmp_path / "closed"), "Permission denied")]


def test_links_in_circles_and_to_nowhere(tmp_path: Path) -> None:
    tree(tmp_path, "a/k.py", "b/l.py")
    (tmp_path / "a" / "b").symlink_to(tmp_path / "b")
    (tmp_path / "b" / "a").symlink_to(tmp_path / "a")
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    names = [Path(file).name for file in discover([str(tmp_path)], lambda folder: Settings(str(tmp_path))).files]
    assert sorted(names) == ["gone.py", "k.py", "l.py"]


def test_links_that_point_upwards_end(tmp_path: Path) -> None:
    tree(tmp_path, "a/k.py")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    assert found(tmp_path) == ["a/k.py"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read every folder")
def test_unreadable_folders_are_reported(tmp_path: Path) -> None:
    tree(tmp_path, "a/k.py", "b.py")
    (tmp_path / "a").chmod(0)
    try:
        result = discover([str(tmp_path)], lambda folder: Settings(str(tmp_path)))
    finally:
        (tmp_path / "a").chmod(0o755)
    assert result.problems == [(str(tmp_path / "a"), "Permission denied")]
    assert len(result.files) == 1


def test_missing_paths_are_reported(tmp_path: Path) -> None:
    result = discover(["no/such.py"], lambda folder: Settings(str(tmp_path)))
    assert result.problems == [("no/such.py", "no such file or folder")]


def test_a_named_file_that_is_no_python_is_a_problem(tmp_path: Path) -> None:
    tree(tmp_path, "README.md", "Makefile", "kernel.tl", "a.PY")
    paths = [str(tmp_path / name) for name in ("README.md", "Makefile", "kernel.tl", "a.PY")]
    result = discover(paths, lambda folder: Settings(str(tmp_path), include=("*.py", "*.tl")))
    assert [Path(file).name for file in result.files] == ["a.PY", "kernel.tl"]
    text = "neither a Python file nor a notebook (`include` can name others)"
    assert result.problems == [(paths[0], text), (paths[1], text)]


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.py", "a/b.py", True),
        ("a/*.py", "a/b.py", True),
        ("a/*.py", "a/b/c.py", False),
        ("a/**", "a/b/c.py", True),
        ("**/c.py", "a/b/c.py", True),
        ("**/c.py", "c.py", True),
        ("a", "a/b/c.py", True),
        ("./a/", "a/b.py", True),
        ("te?t", "test", True),
        ("[ab].py", "a.py", True),
        ("[!ab].py", "a.py", False),
        ("[z-a].py", "b.py", False),
        ("a[!x]b.py", "a/b.py", False),
        (r"\*.py", "*.py", True),
        (r"\*.py", "a.py", False),
    ],
)
def test_patterns(pattern: str, path: str, expected: bool) -> None:
    assert matches(pattern, Path("/root", path), "/root") is expected


def test_patterns_match_literally_outside_their_signs() -> None:
    assert glob_pattern("a.b+c").fullmatch("a.b+c")
    assert not glob_pattern("a.b").fullmatch("axb")
