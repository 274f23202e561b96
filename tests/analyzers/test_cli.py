"""The commands as a user meets them: options, exit codes, and that nothing ever shows a traceback."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tilelang_analyzers import cli, runner
from tilelang_analyzers.cli import main
from tilelang_analyzers.main import tilelang_main

PLAIN = "import os\nprint(os.getcwd())\n"
KERNEL = """import tilelang
import tilelang.language as T


# tilelang: targets=sm_90+
@tilelang.jit
def fill(N, block=64):
    @T.prim_func
    def kernel(X: T.Tensor((N,), "float32")):
        with T.Kernel(N // block, threads=block) as bx:
            tile = T.alloc_shared((block,), "float32")
            T.clear(tile)
            T.copy(tile, X[bx * block])

    return kernel


fill(1024)
"""


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    (tmp_path / "plain.py").write_text(PLAIN)


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err + captured.out
    return code, captured.out, captured.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--target", "t5555"], "tilelang-check: unknown target 't5555'"),
        (["--target", "sm_91"], "tilelang-check: unknown target 'sm_91'; did you mean sm_90"),
        (["--select", "gemm-shape-mismtch"], "unknown rule `gemm-shape-mismtch`, did you mean `gemm-shape-mismatch`?"),
        (["--ignore", "shapes"], "command line: `ignore`: unknown rule `shapes`"),
        (["--explain", "gem-shape"], "--explain: unknown rule `gem-shape`"),
        (["--config", "taget='t4'"], "--config taget='t4': unknown key `taget`, did you mean `target`?"),
        (["--format", "xml"], "invalid choice: 'xml'"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--jobs", "0"], "must be a whole number above 0"),
        (["-", "plain.py"], "- stands alone"),
    ],
)
def test_wrong_usage_is_2_with_what_was_meant(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = ran(capsys, *arguments)
    assert (code, out) == (2, "")
    assert complaint in err


def test_files_without_tilelang_are_clean_and_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(capsys, "plain.py") == (0, "0 findings\nnothing checked: the file does not use TileLang\n", "")
    assert ran(capsys, "--quiet") == (0, "", "")


def test_missing_and_unreadable_files_are_2(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "gone.py", "plain.py")
    assert code == 2
    assert "error: gone.py: no such file or folder\n" in out
    (Path("loop.py")).symlink_to("loop.py")
    code, out, _ = ran(capsys, "loop.py")
    assert code == 2
    assert "error: loop.py: " in out


def test_what_is_no_python_is_2_with_one_message(capsys: pytest.CaptureFixture[str]) -> None:
    Path("README.md").write_text("# Read\n```\nme {\n")
    code, out, _ = ran(capsys, "README.md")
    assert code == 2
    assert out.replace("\n  ", " ").splitlines()[:2] == [
        "error: README.md: neither a Python file nor a notebook (`include` can name others)",
        "0 findings",
    ]


def test_a_kernel_for_other_targets_is_not_checked(capsys: pytest.CaptureFixture[str]) -> None:
    Path("kernel.py").write_text(KERNEL)
    text = "1 kernel in 1 file: 0 checked, 1 not checked (not for the chosen targets)"
    assert text in ran(capsys, "kernel.py", "--target", "t4")[1]
    assert "1 kernel in 1 file: 1 checked" in ran(capsys, "kernel.py", "--target", "t4,h100")[1]
    assert "1 kernel in 1 file: 1 checked" in ran(capsys, "kernel.py")[1]


@pytest.mark.parametrize("format_", ["concise", "grouped", "table", "sarif", "json-lines", "gitlab"])
def test_instances_are_told_beside_a_format_without_a_place_for_them(
    format_: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("kernel.py").write_text(KERNEL)
    _, out, err = ran(capsys, "kernel.py", "--format", format_, "--trace-instances")
    assert "kernel.py:9 kernel: checked" in err
    assert "N=1024 block=64: certain, call" in err
    assert "certain, call" not in out
    full, nothing = ran(capsys, "kernel.py", "--trace-instances")[1:]
    assert "N=1024 block=64: certain, call" in full
    assert not nothing


def test_a_smaller_tile_is_the_largest_by_halving(capsys: pytest.CaptureFixture[str]) -> None:
    Path("kernel.py").write_text(KERNEL.replace("sm_90+", "t4").replace("fill(1024)", "fill(1 << 20, block=20000)"))
    out = ran(capsys, "kernel.py", "--format", "json")[1]
    assert "Set `block=10000`, the largest by halving (fits in 40 000 B)" in out.replace("\u202f", " ")


def test_settings_of_the_project_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").write_text("[tool.tilelang]\ntargts = ['t4']\n")
    code, _, err = ran(capsys, "plain.py")
    assert code == 2
    assert err == (f"tilelang-check: {Path.cwd() / 'pyproject.toml'}: unknown key `targts`, did you mean `targets`?\n")
    assert ran(capsys, "plain.py", "--isolated")[0] == 0
    Path("pyproject.toml").write_text("[tool.tilelang]\ntarget = 'no-such-card'\n")
    code, _, err = ran(capsys, "plain.py")
    assert code == 2
    assert "pyproject.toml: unknown target 'no-such-card'" in err


def test_unknown_targets_of_ignores_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").write_text("[tool.tilelang.per-target-ignores]\nsm_91 = ['budget']\n")
    Path("k.py").write_text("import tilelang\n")
    code, _, err = ran(capsys, "k.py")
    assert code == 2
    place = Path.cwd() / "pyproject.toml"
    assert err.startswith(f"tilelang-check: {place}: `per-target-ignores`: unknown target 'sm_91'; did you mean sm_90")


def test_groups_and_rules_are_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean `memory`?" in ran(capsys, "--select", "memry")[2]
    Path("pyproject.toml").write_text("[tool.tilelang.rules]\nbugdet = 'off'\n")
    assert "`rules`: unknown rule `bugdet`, did you mean `budget`?" in ran(capsys, "plain.py")[2]


def test_show_files(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a/k.py", "a/n.ipynb", "gen/x.py", "readme.md"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("")
    assert ran(capsys, "--show-files") == (0, "a/k.py\na/n.ipynb\ngen/x.py\nplain.py\n", "")
    assert ran(capsys, "--show-files", "--exclude", "gen", "--exclude", "*.ipynb")[1] == "a/k.py\nplain.py\n"
    named = ("gen/x.py", "plain.py", "--exclude", "gen")
    assert ran(capsys, "--show-files", *named)[1] == "gen/x.py\nplain.py\n"
    assert ran(capsys, "--show-files", *named, "--force-exclude")[1] == "plain.py\n"
    assert ran(capsys, "--show-files", "gone") == (2, "", "tilelang-check: gone: no such file or folder\n")


def test_show_settings_says_where_each_value_comes_from(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").write_text("[tool.tilelang]\ntarget = ['t4']\n[tool.tilelang.rules]\nlossy-cast = 'off'\n")
    code, out, _ = ran(capsys, "--show-settings", "--ignore", "dtype", "--config", "timeout=3")
    place = Path.cwd() / "pyproject.toml"
    assert code == 0
    assert f'target = ["t4"]  # {place}\n' in out
    assert f'rules = {{ "lossy-cast" = "off" }}  # {place}\n' in out
    assert 'ignore = ["dtype"]  # command line\n' in out
    assert "timeout = 3  # --config timeout=3\n" in out
    assert "max-instances = 1000  # default\n" in out


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PLAIN.encode())))
    code, out, _ = ran(capsys, "-", "--stdin-filename", "sub/name.py", "--format", "json")
    assert code == 0
    assert json.loads(out)["coverage"]["files"] == 1


def test_explain_and_list(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "--explain", "gemm-shape-mismatch")
    assert code == 0
    assert out.startswith("gemm-shape-mismatch\n")
    assert "\nWhy is this bad?\n" in out
    code, listing, _ = ran(capsys, "--list-rules")
    assert code == 0
    assert "shape:\n" in listing
    assert max(map(len, (out + listing).splitlines())) <= 80


def test_the_tilelang_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert tilelang_main(["explain", "gemm-shape-mismatch"]) == 0
    assert tilelang_main(["check", "plain.py"]) == 0
    assert tilelang_main(["targets"]) == 0
    assert "\nsm_75                49152 " in capsys.readouterr().out
    assert tilelang_main(["--help"]) == 0
    assert tilelang_main([]) == 2
    assert tilelang_main(["explain"]) == 2
    assert tilelang_main(["chekc"]) == 2
    assert "unknown command `chekc`, did you mean `check`?" in capsys.readouterr().err
    assert tilelang_main(["doctor"]) == 0


@pytest.mark.parametrize("command", [["check", "--help"], ["--help"], ["targets"], ["doctor"]])
def test_output_about_the_tool_fits_80_columns(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    tilelang_main(command)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 5
    # The path of a package may be longer than any line.
    assert [line for line in lines if len(line) > 80 and "/" not in line] == []


def test_an_internal_error_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(*arguments: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(runner.Checkup, "start", broken)
    code, out, err = ran(capsys, "plain.py")
    assert (code, out) == (2, "")
    assert err == (
        "tilelang-check: internal error: ZeroDivisionError: oh\nplease report it with the output of --debug\n"
    )
    with pytest.raises(ZeroDivisionError):
        main(["plain.py", "--debug"])


def test_ctrl_c_ends_quietly(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner.Checkup, "start", interrupted)
    assert ran(capsys, "plain.py") == (cli.INTERRUPTED, "", "tilelang-check: interrupted\n")


def test_a_closed_pipe_ends_quietly() -> None:
    command = f"{sys.executable} -m tilelang_analyzers.cli --list-rules | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_output_that_the_encoding_lacks_is_replaced() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    Path("größe.py").write_text("import tilelang\n" * 0 + PLAIN)
    command = [sys.executable, "-m", "tilelang_analyzers.cli", "größe-fehlt.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 2
    assert "error: gr??e-fehlt.py: no such file or folder" in done.stdout


# --- beside other packages --------------------------------------------------------------------------------------------

HOSTILE = "import pathlib\npathlib.Path('imported').touch()\nraise SystemExit('the wrong tilelang')\n"


def hostile(folder: Path) -> None:
    """Modules that shadow ours and the standard library's."""
    for name in ("tilelang", "tilelang_analyzers/rules", "tilelang/targets", "rich"):
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "__init__.py").write_text(HOSTILE)
    for name in ("tomllib", "difflib", "json", "argparse"):
        (folder / f"{name}.py").write_text(HOSTILE)


def console(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    script = Path(sys.executable).with_name("tilelang-check")
    assert script.exists(), "the distribution is not installed"
    return subprocess.run(
        [script, *arguments], capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


def test_modules_of_the_working_folder_are_not_imported() -> None:
    hostile(Path.cwd())
    done = console("plain.py", "--target", "t5", "--config", "timeout=1")
    assert done.stderr.startswith("tilelang-check: unknown target 't5'")
    assert not Path("imported").exists()


def test_pythonpath_does_not_replace_the_core(tmp_path: Path) -> None:
    package = tmp_path / "elsewhere" / "tilelang"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(HOSTILE)
    done = console("plain.py", PYTHONPATH=str(package.parent))
    assert (done.returncode, done.stderr) == (0, "")
    assert not Path("imported").exists()


def test_a_foreign_core_is_named(tmp_path: Path) -> None:
    code = (
        "import sys, types; other = types.ModuleType('tilelang'); other.__file__ = sys.argv[1]; "
        "sys.modules['tilelang'] = other; from tilelang_analyzers.cli import main; sys.exit(main(['plain.py']))"
    )
    other = tmp_path / "other.py"
    other.touch()
    done = subprocess.run([sys.executable, "-c", code, str(other)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "does not get this checker's core" in done.stderr
    assert "Traceback" not in done.stderr
