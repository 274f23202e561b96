"""Who owns ``import tilelang``, in environments made of folders and dist-info records."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tilelang_analyzers import isolation
from tilelang_analyzers.doctor import inspect_import_name

OWN_INIT = '"""This package."""\n'
UPSTREAM_INIT = '"""Upstream\'s package."""\n'


def digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def install(site: Path, name: str, version: str, init: str) -> None:
    """What pip leaves of a wheel with the package ``tilelang``: its files, overwriting others, and a record."""
    write(site / "tilelang" / "__init__.py", init)
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    write(info / "METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    write(info / "RECORD", f"tilelang/__init__.py,sha256={digest(init)},{len(init)}\n{info.name}/METADATA,,\n")


def install_editable(site: Path, source: Path) -> None:
    """What pip leaves of an editable installation of this distribution."""
    write(source / "tilelang" / "__init__.py", OWN_INIT)
    info = site / "tilelang_suite-0.1.0.dist-info"
    write(info / "METADATA", "Metadata-Version: 2.1\nName: tilelang-suite\nVersion: 0.1.0\n")
    write(info / "RECORD", f"_tilelang_suite.pth,,\n{info.name}/METADATA,,\n")
    write(info / "direct_url.json", json.dumps({"dir_info": {"editable": True}, "url": source.as_uri()}))


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    return folder


def test_alone(site: Path) -> None:
    install(site, "tilelang-suite", "0.1.0", OWN_INIT)
    found = inspect_import_name([str(site)])
    assert (found.situation, found.own, found.upstream, found.works) == ("own", "0.1.0", None, True)
    assert found.origin == str((site / "tilelang" / "__init__.py").resolve())


def test_upstream_alone(site: Path) -> None:
    install(site, "tilelang", "0.1.15", UPSTREAM_INIT)
    found = inspect_import_name([str(site)])
    assert (found.situation, found.own, found.upstream, found.works) == ("upstream", None, "0.1.15", False)
    assert "cannot run here" in found.explanation


def test_upstream_installed_over_this_package(site: Path) -> None:
    install(site, "tilelang-suite", "0.1.0", OWN_INIT)
    install(site, "tilelang", "0.1.15", UPSTREAM_INIT)
    found = inspect_import_name([str(site)])
    assert (found.situation, found.overwritten, found.works) == ("upstream-over-own", True, False)
    assert "It gets upstream's package" in found.explanation
    assert "pip uninstall tilelang-suite" in found.explanation
    assert "--force-reinstall --no-deps tilelang==0.1.15" in found.explanation


def test_this_package_installed_over_upstream(site: Path) -> None:
    install(site, "tilelang", "0.1.15", UPSTREAM_INIT)
    install(site, "tilelang-suite", "0.1.0", OWN_INIT)
    found = inspect_import_name([str(site)])
    assert (found.situation, found.overwritten, found.works) == ("own-over-upstream", True, True)
    assert "It gets this package" in found.explanation
    assert "overwrote" in found.explanation
    assert "--force-reinstall --no-deps tilelang==0.1.15" in found.explanation


@pytest.mark.parametrize(("source_first", "situation"), [(False, "upstream-over-own"), (True, "own-over-upstream")])
def test_editable_beside_upstream_goes_by_the_import_path(
    site: Path, tmp_path: Path, source_first: bool, situation: str
) -> None:
    source = tmp_path / "checkout"
    install_editable(site, source)
    install(site, "tilelang", "0.1.15", UPSTREAM_INIT)
    paths = [str(source), str(site)] if source_first else [str(site), str(source)]
    found = inspect_import_name(paths)
    assert (found.situation, found.overwritten) == (situation, False)


def test_editable_alone(site: Path, tmp_path: Path) -> None:
    install_editable(site, tmp_path / "checkout")
    assert inspect_import_name([str(site), str(tmp_path / "checkout")]).situation == "own"


def test_a_folder_that_hides_the_package(site: Path, tmp_path: Path) -> None:
    install(site, "tilelang-suite", "0.1.0", OWN_INIT)
    write(tmp_path / "work" / "tilelang" / "__init__.py", "")
    found = inspect_import_name([str(tmp_path / "work"), str(site)])
    assert (found.situation, found.works) == ("unknown", False)


def test_nothing_installed(site: Path) -> None:
    found = inspect_import_name([str(site)])
    assert (found.situation, found.origin, found.works) == ("none", None, False)


def test_the_running_environment_works() -> None:
    found = inspect_import_name()
    assert found.works
    assert found.origin is not None


def test_the_core_bears_the_mark_by_which_the_checker_knows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", sys.path[:])
    core = Path(__file__).resolve().parents[2] / "tilelang" / "__init__.py"
    assert isolation.MARK in core.read_bytes()[:4096]
    assert isolation.isolate() is None


def test_doctor_runs_where_import_tilelang_gets_upstream(site: Path) -> None:
    install(site, "tilelang", "0.1.15", "raise ImportError('upstream must not be imported')\n")
    analyzers = Path(__file__).resolve().parents[2] / "analyzers"
    program = "import sys; from tilelang_analyzers import doctor; sys.exit(doctor.run(sys.stdout))"
    bootstrap = f"import sys; sys.path[:0] = {[str(site), str(analyzers)]!r}; {program}"
    done = subprocess.run([sys.executable, "-I", "-c", bootstrap], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "It gets upstream's package" in done.stdout.replace("\n  ", " ")
    assert "must not be imported" not in done.stdout + done.stderr
