"""Which files a run looks at."""

from __future__ import annotations

import os
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


def test_a_named_file_is_always_taken(tmp_path: Path) -> None:
    tree(tmp_path, "build/x.py", "script", "a.py")
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
    ],
)
def test_patterns(pattern: str, path: str, expected: bool) -> None:
    assert matches(pattern, Path("/root", path), "/root") is expected


def test_patterns_match_literally_outside_their_signs() -> None:
    assert glob_pattern("a.b+c").fullmatch("a.b+c")
    assert not glob_pattern("a.b").fullmatch("axb")
