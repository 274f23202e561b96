"""Fill ``bundled/libs``: our packages from this tree, and what they import, for all platforms and Pythons.

``python bundled/build.py [--here]``. Wheels come from PyPI through pip; what was fetched is kept in ``bundled/wheels``.
``--here``: the parts for this machine only, for tests.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE / "tool"))
import tilelang_tool as tool  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

LIBS, WHEELS = HERE / "libs", HERE / "wheels"
PACKAGES = ("tilelang", "analyzers/tilelang_analyzers", "lsp/tilelang_lsp")
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
PLATFORMS = {
    "linux-x86_64": ("manylinux_2_17_x86_64", "manylinux2014_x86_64"),
    "linux-aarch64": ("manylinux_2_17_aarch64", "manylinux2014_aarch64"),
    "darwin-x86_64": ("macosx_10_13_x86_64", "macosx_10_9_x86_64"),
    "darwin-aarch64": ("macosx_11_0_arm64",),
    "win32-x86_64": ("win_amd64",),
    "win32-aarch64": ("win_arm64",),
}
"""The names of tilelang_tool.native_tag(), and pip's."""
UNUSED = re.compile(
    # jedi carries stubs of third-party packages that no kernel file completes from, and tests of its own.
    r"(^|/)(__pycache__|tests?|\.dist-info)(/|$)|jedi/third_party/django-stubs|jedi/third_party/typeshed/(third_party|stubs|tests)|\.(pyc|pyi\.orig|c|h)$|/bin/"
)


def main() -> int:
    shutil.rmtree(LIBS, ignore_errors=True)
    common = LIBS / "common"
    unpack(fetch("common", "requirements.txt", "3.10", ()), common)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, common / Path(package).name, ignore=shutil.ignore_patterns("__pycache__"))
    for tag, names, python in wanted("--here" in sys.argv[1:]):
        unpack(fetch(tag, "native.txt", python, names), LIBS / tag)
    prune()
    size = sum(file.stat().st_size for file in LIBS.rglob("*") if file.is_file())
    print(f"bundled: {size / 2**20:.1f} MiB in {LIBS.relative_to(ROOT)}")
    return 0


def wanted(here_only: bool) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """The folders of compiled packages: the tag, pip's names of the platform, and the Python."""
    for platform, names in PLATFORMS.items():
        for python in PYTHONS:
            tag = f"{platform}-cp{python.replace('.', '')}"
            if not here_only or platform == tool.native_tag().rpartition("-")[0]:
                yield tag, names, python


def fetch(tag: str, requirements: str, python: str, platforms: tuple[str, ...]) -> Path:
    """The folder with the wheels that a file of requirements names, downloaded if the file has changed."""
    wheels = WHEELS / tag
    marker = wheels / "requirements.txt"
    text = (HERE / requirements).read_text(encoding="utf-8")
    if not marker.is_file() or marker.read_text(encoding="utf-8") != text:
        shutil.rmtree(wheels, ignore_errors=True)
        platform = [f"--platform={name}" for name in platforms]
        source = ["--dest", str(wheels), "-r", str(HERE / requirements)]
        pip("download", "--no-deps", "--only-binary=:all:", f"--python-version={python}", *platform, *source)
        marker.write_text(text, encoding="utf-8")
    return wheels


def unpack(wheels: Path, folder: Path) -> None:
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)


def prune() -> None:
    """Remove what no program reads. The licences in ``*.dist-info`` stay."""
    for file in sorted(LIBS.rglob("*"), reverse=True):
        name = file.relative_to(LIBS).as_posix()
        if ".dist-info/" in name and "licen" not in name.lower() and not name.endswith("METADATA") and file.is_file():
            file.unlink()
        elif UNUSED.search(name):
            shutil.rmtree(file) if file.is_dir() else file.unlink(missing_ok=True)


def pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    sys.exit(main())
