"""Checking a file runs nothing of it, of its project, or of what its settings name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

KERNEL = """
import tilelang
import tilelang.language as T

@tilelang.jit
def fill(N=64):
    @T.prim_func
    def main(A: T.Tensor((N,), T.float32)):
        with T.Kernel(4, threads=32) as bx:
            A[bx] = 0
    return main
"""

EFFECTS = {
    "write": "open({canary!r}, 'w').write('x')",
    "pathlib": "__import__('pathlib').Path({canary!r}).write_text('x')",
    "shell": "import os\nos.system('touch ' + {canary!r})",
    "spawn": "import subprocess\nsubprocess.run(['touch', {canary!r}])",
    "popen": "import os\nos.popen('touch ' + {canary!r}).read()",
    "exec": "exec('open({canary!r}, \"w\").close()')",
    "eval": "eval('open({canary!r}, \"w\").close()')",
    "compile": "exec(compile('open({canary!r}, \"w\").close()', 'x', 'exec'))",
    "import": "import importlib\nimportlib.import_module('sibling')",
    "ctypes": "import ctypes\nctypes.CDLL(None).creat({canary!r}.encode(), 0o600)",
    "pickle": "import pickle\npickle.loads(b'cos\\nsystem\\n(S\"touch {canary}\"\\ntR.')",
    "socket": "import socket\nsocket.create_server(('127.0.0.1', 0))\nopen({canary!r}, 'w').close()",
    "format": "'{{0.__class__.__init__.__globals__}}'.format(T)\nopen({canary!r}, 'w').close()",
    "globals": "fill.__globals__['__builtins__']['open']({canary!r}, 'w')",
    "subclasses": "[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'Popen'][0](['touch', {canary!r}])",
    "language globals": "T.copy.__globals__['__builtins__']['open']({canary!r}, 'w')",
    "language module": "T.os.system('touch ' + {canary!r})",
    "language builtins": "T.copy.__builtins__['open']({canary!r}, 'w')",
    "language call": "T.__dict__['__builtins__']['__import__']('os').system('touch ' + {canary!r})",
    "loader": "T.__loader__.set_data({canary!r}, b'x')",
    "spec": "T.__spec__.loader.set_data({canary!r}, b'x')",
    "decorator": "def now(f):\n    open({canary!r}, 'w').close()\n    return f\n@now\ndef g(): pass",
    "metaclass": "class M(type):\n    def __new__(*a):\n        open({canary!r}, 'w').close()\nclass C(metaclass=M): pass",
    "annotation": "x: open({canary!r}, 'w') = 1",
    "default": "def g(x=open({canary!r}, 'w')): pass",
    "class body": "class C:\n    open({canary!r}, 'w').close()",
    "destructor": "class C:\n    def __del__(self):\n        open({canary!r}, 'w').close()\nC()",
    "repr": "class C:\n    def __repr__(self):\n        open({canary!r}, 'w').close()\n        return ''\nfill(N=C())",
    "hash": "class C:\n    def __hash__(self):\n        open({canary!r}, 'w').close()\n        return 1\n{{C(): 1}}",
    "atexit": "import atexit\natexit.register(open, {canary!r}, 'w')",
    "thread": "import threading\nthreading.Thread(target=open, args=({canary!r}, 'w')).start()",
    "lambda in language": "T.Layout([4], lambda i: open({canary!r}, 'w') and i)",
    "map": "list(map(open, [{canary!r}], ['w']))",
    "sorted key": "sorted([{canary!r}], key=lambda p: open(p, 'w').close())",
    "functools": "import functools\nfunctools.partial(open, {canary!r}, 'w')()",
    "operator": "import operator\noperator.methodcaller('write_text', 'x')(__import__('pathlib').Path({canary!r}))",
    "exit": "import sys\nsys.exit(7)",
    "hard exit": "import os\nos._exit(7)",
    "raise exit": "raise SystemExit(7)",
    "interrupt": "raise KeyboardInterrupt",
    "print": "print('LOUD')\nimport sys\nsys.stdout.write('LOUD')\nsys.stderr.write('LOUD')",
    "kill": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
    "loop": "while True: pass",
    "recursion": "import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
    "environment": "import os\nos.environ['TILELANG_CANARY'] = '1'\nos.putenv('X', 'y')\nos.chdir('/')",
    "profile": "import sys\nsys.settrace(lambda *a: open({canary!r}, 'w'))",
}  # fmt: skip


def check(folder: Path, *paths: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, as users do."""
    command = [str(Path(sys.executable).with_name("tilelang-check")), "--no-cache", "--format", "json", *paths]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def assert_harmless(folder: Path, paths: list[str], before: set[str], *, found: bool = True) -> None:
    """Check files: the kernel of each is found, the program itself prints nothing, and no files appear."""
    done = check(folder, *paths)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads(done.stdout)
    names = {Path(instance["path"]).name for instance in report["instances"]}
    assert names == ({Path(path).name for path in paths} if found else set())
    assert "LOUD" not in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert files_of(folder) == before


def files_of(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_the_file_itself(tmp_path: Path) -> None:
    names: list[str] = []
    for effect, code in EFFECTS.items():
        name = effect.replace(" ", "_")
        names.append(f"{name}.py")
        text = code.format(canary=str(tmp_path / f"canary_{name}"))
        (tmp_path / f"{name}.py").write_text(f"{KERNEL}\n{text}\n", encoding="utf-8")
    assert_harmless(tmp_path, names, files_of(tmp_path))


@pytest.mark.parametrize("effect", ["write", "exit", "print", "loop"])
@pytest.mark.parametrize(
    "place", ["kernel body", "factory", "test", "main", "sibling", "conftest", "package", "caller"]
)
def test_other_places(effect: str, place: str, tmp_path: Path) -> None:
    code = EFFECTS[effect].format(canary=str(tmp_path / "canary"))
    inner = code.replace("\n", "\n    ")
    files = {
        "kernel body": {"kernel.py": KERNEL.replace("            A[bx] = 0", "            " + code.replace("\n", "\n" + " " * 12) + "\n            A[bx] = 0")},
        "factory": {"kernel.py": KERNEL.replace("    @T.prim_func", f"    {inner}\n    @T.prim_func")},
        "test": {"kernel.py": f"{KERNEL}\ndef test_fill():\n    {inner}\n    fill(8)\n"},
        "main": {"kernel.py": f"{KERNEL}\nif __name__ == '__main__':\n    {inner}\n    fill(8)\n"},
        "sibling": {"kernel.py": f"import sibling\n{KERNEL}\nfill(8)\n", "sibling.py": code},
        "conftest": {"kernel.py": KERNEL, "conftest.py": code, "sitecustomize.py": code, "usercustomize.py": code},
        "package": {"kernel.py": f"from pkg import x\n{KERNEL}\nfill(8)\n", "pkg/__init__.py": f"{code}\nx = 1\n", "torch.py": code, "tilelang/__init__.py": code, "numpy/__init__.py": code},
        "caller": {"kernel.py": KERNEL, "use.py": f"from kernel import fill\n{code}\nfill(8)\n", "setup.py": code},
    }[place]  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    # A factory that exits makes no kernel.
    found = effect != "exit" or place not in ("kernel body", "factory")
    assert_harmless(tmp_path, ["kernel.py"], files_of(tmp_path), found=found)


@pytest.mark.parametrize("effect", ["write", "exit", "print", "shell"])
def test_notebooks(effect: str, tmp_path: Path) -> None:
    code = EFFECTS[effect].format(canary=str(tmp_path / "canary"))
    magics = f"!touch {tmp_path / 'canary'}\n%run sibling.py\n%%bash\ntouch {tmp_path / 'canary'}"
    cells = [KERNEL, code, magics, f"%%writefile {tmp_path / 'canary'}\nx", "fill(8)"]
    notebook = {
        "cells": [
            {"cell_type": "code", "source": cell, "metadata": {}, "outputs": [], "execution_count": None}
            for cell in cells
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (tmp_path / "kernel.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    assert_harmless(tmp_path, ["kernel.ipynb"], files_of(tmp_path))


def test_settings_run_nothing(tmp_path: Path) -> None:
    """Build back ends, plug-ins and tool tables of the checked project are text to us."""
    canary = tmp_path / "canary"
    code = f"open({str(canary)!r}, 'w').close()\n"
    (tmp_path / "kernel.py").write_text(KERNEL + "fill(8)\n", encoding="utf-8")
    (tmp_path / "backend.py").write_text(code, encoding="utf-8")
    (tmp_path / "tilelang_analyzers").mkdir()
    (tmp_path / "tilelang_analyzers/__init__.py").write_text(code, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(
        "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n"
        "[project]\nname = 'x'\nversion = '1'\n[project.entry-points.pytest11]\nx = 'backend'\n"
        "[tool.pytest.ini_options]\naddopts = '-p backend'\n"
        "[tool.tilelang]\ntarget = ['sm_80']\n",
        encoding="utf-8",
    )
    assert_harmless(tmp_path, ["kernel.py"], files_of(tmp_path))
