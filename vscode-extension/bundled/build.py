"""Fill ``bundled/libs``: our packages from this tree, and what they import, for all platforms and Pythons.

``python bundled/build.py``. Wheels come from PyPI through pip; those for other machines are kept in ``bundled/wheels``.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
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
    pip("install", "--no-deps", "--no-compile", "--only-binary=:all:", "--python-version=3.10", "--upgrade",
        "--target", str(common), "-r", str(HERE / "requirements.txt"))  # fmt: skip
    for package in PACKAGES:
        shutil.copytree(ROOT / package, common / Path(package).name, ignore=shutil.ignore_patterns("__pycache__"))
    for platform, names in PLATFORMS.items():
        for python in PYTHONS:
            native(platform, names, python)
    prune()
    size = sum(file.stat().st_size for file in LIBS.rglob("*") if file.is_file())
    print(f"bundled: {size / 2**20:.1f} MiB in {LIBS.relative_to(ROOT)}")
    return 0


def native(platform: str, names: tuple[str, ...], python: str) -> None:
    """The compiled packages for one platform and Python."""
    tag = f"{platform}-cp{python.replace('.', '')}"
    wheels = WHEELS / tag
    marker = wheels / "requirements.txt"
    wanted = (HERE / "native.txt").read_text(encoding="utf-8")
    if not marker.is_file() or marker.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(wheels, ignore_errors=True)
        platforms = [f"--platform={name}" for name in names]
        source = ["--dest", str(wheels), "-r", str(HERE / "native.txt")]
        pip("download", "--no-deps", "--only-binary=:all:", f"--python-version={python}", *platforms, *source)
        marker.write_text(wanted, encoding="utf-8")
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(LIBS / tag)


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
