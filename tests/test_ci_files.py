"""The files for CI services, held against the schemas of those services and run as far as that needs no service."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator
from pre_commit.clientlib import InvalidConfigError, load_config, load_manifest

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
PAGE = ROOT / "docs" / "ci.md"
FAULTY = ROOT / "examples" / "faulty" / "too_many_stages.py"


def schema(name: str) -> Draft7Validator:
    """A schema that the package check-jsonschema carries."""
    file = resources.files("check_jsonschema") / "builtin_schemas" / "vendor" / name
    return Draft7Validator(json.loads(file.read_text(encoding="utf-8")))


def complaints(name: str, document: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in schema(name).iter_errors(document)]


def loaded(text: str) -> Any:
    """YAML as CI services read it: `on` is a word."""
    document = yaml.safe_load(text)
    if True in document:
        document["on"] = document.pop(True)
    return document


def bash(script: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub and GitLab do, with the checker of this environment first on the path."""
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a kernel that is too large for a T4, and one file that is fine."""
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "big.py").write_text(FAULTY.read_text())
    (tmp_path / "kernels" / "with space.py").write_text("x = 1\n")
    return tmp_path


# --- pre-commit -------------------------------------------------------------------------------------------------------


def hook() -> dict[str, Any]:
    (found,) = load_manifest(str(ROOT / ".pre-commit-hooks.yaml"))
    return found


def test_the_hook_is_valid() -> None:
    found = hook()
    assert (found["id"], found["language"], found["require_serial"]) == ("tilelang-check", "python", True)


def test_the_hook_checks_the_files_of_a_commit(project: Path) -> None:
    # As the manifest has it, but with the checker that is installed already: installing needs the network.
    local = {**hook(), "language": "system", "entry": str(BIN / hook()["entry"])}
    keys = ("id", "name", "entry", "language", "types_or", "require_serial")
    hooks = [{**{key: local[key] for key in keys}, "args": ["--target", "t4", "--no-cache"]}]
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": hooks}]}))
    (project / "readme.md").write_text("no kernel\n")
    setup = "git init -q . && git add -A"
    run = f"{setup} && {shlex.quote(sys.executable)} -m pre_commit run --all-files"
    done = bash(run, project, PRE_COMMIT_HOME=str(project / ".home"), HOME=str(project))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "error[shared-memory-overflow]" in done.stdout
    assert "readme.md" not in done.stdout
    (project / "kernels" / "big.py").unlink()
    done = bash(f"git add -A && {run}", project, PRE_COMMIT_HOME=str(project / ".home"), HOME=str(project))
    assert done.returncode == 0, done.stdout + done.stderr


# --- the GitHub Action ------------------------------------------------------------------------------------------------


def action() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "action.yml").read_text())


def steps() -> dict[str, dict[str, Any]]:
    return {it.get("id", it.get("name", it.get("uses"))): it for it in action()["runs"]["steps"]}


def outputs(file: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in file.read_text().splitlines())


def test_the_action_follows_its_schema() -> None:
    assert complaints("github-actions.json", action()) == []


def test_the_action_uses_no_input_inside_a_script() -> None:
    scripts = [it["run"] for it in action()["runs"]["steps"] if "run" in it]
    assert len(scripts) == 2
    assert not any("${{" in it for it in scripts)
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text()))
    assert used == set(action()["inputs"])


@pytest.fixture
def checked(project: Path) -> dict[str, str]:
    """The environment of the action's main step."""
    (project / "output").touch()
    return {
        "COMMAND": str(BIN / "tilelang-check"),
        "GITHUB_OUTPUT": str(project / "output"),
        "GITHUB_STEP_SUMMARY": str(project / "summary.md"),
        "GITHUB_WORKSPACE": str(project),
        "PATHS": "kernels/big.py\nkernels/with space.py\n",
        "TARGETS": "t4",
        "ARGS": "--no-cache\n--ignore\nstages-without-async\n",
        "SARIF_FILE": "check.sarif",
    }


def test_the_action_annotates_summarises_and_fails(project: Path, checked: dict[str, str]) -> None:
    done = bash(steps()["check"]["run"], project, **checked)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error file=kernels/big.py,line=35,")
    assert "1 kernel in 1 file: 1 checked" in done.stdout
    assert (project / "summary.md").read_text().startswith("### tilelang-check: 1 error\n")
    assert outputs(project / "output") == {"exit-code": "1", "sarif-file": str(project / "check.sarif")}
    (result,) = json.loads((project / "check.sarif").read_text())["runs"][0]["results"]
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "kernels/big.py"


def test_paths_of_the_action_are_those_of_the_checkout(project: Path, checked: dict[str, str]) -> None:
    done = bash(steps()["check"]["run"], project / "kernels", **{**checked, "PATHS": "big.py"})
    assert done.stdout.startswith("::error file=kernels/big.py,line=35,")


def test_the_action_passes_without_findings(project: Path, checked: dict[str, str]) -> None:
    done = bash(steps()["check"]["run"], project, **{**checked, "TARGETS": "", "ARGS": "--target\na100\n--no-cache\n"})
    assert done.returncode == 0, done.stderr
    assert outputs(project / "output")["exit-code"] == "0"


def test_inputs_of_the_action_are_no_code(project: Path, checked: dict[str, str]) -> None:
    evil = "$(touch evil); `touch evil` *"
    done = bash(steps()["check"]["run"], project, **{**checked, "PATHS": evil, "TARGETS": "t4", "ARGS": "--no-cache"})
    assert done.returncode == 2
    assert not (project / "evil").exists()
    assert "file=$(touch evil)" in done.stdout
    assert outputs(project / "output")["exit-code"] == "2"


# --- GitLab -----------------------------------------------------------------------------------------------------------


def test_the_gitlab_job_follows_its_schema() -> None:
    assert complaints("gitlab-ci.json", loaded((ROOT / "integrations" / "gitlab-ci.yml").read_text())) == []


def test_the_gitlab_job_writes_its_reports(project: Path) -> None:
    template = loaded((ROOT / "integrations" / "gitlab-ci.yml").read_text())
    variables = {
        **template["variables"],
        "TILELANG_CHECK_ARGS": "--target t4 --no-cache",
        "CI_PROJECT_DIR": str(project),
    }
    done = bash("\n".join(template["tilelang-check"]["script"]), project, **variables)
    assert done.returncode == 1, done.stderr
    assert "error[shared-memory-overflow]" in done.stdout
    reports = template["tilelang-check"]["artifacts"]["reports"]
    issues = json.loads((project / reports["codequality"]).read_text())
    assert {it["location"]["path"] for it in issues} == {"kernels/big.py"}
    assert (project / reports["junit"]).read_text().startswith("<?xml")


# --- the problem matcher ----------------------------------------------------------------------------------------------

MATCHERS = json.loads((ROOT / "integrations" / "problem-matcher.json").read_text())["problemMatcher"]
LEVELS = ("error", "warning", "notice")


def matched(line: str) -> dict[str, str]:
    """What GitHub makes of a line."""
    for matcher in MATCHERS:
        (pattern,) = matcher["pattern"]
        found = re.search(pattern["regexp"], line)
        if found:
            values = {key: found[number] for key, number in pattern.items() if key != "regexp"}
            return {"severity": matcher.get("severity", ""), **values}
    return {}


def test_the_matcher_knows_the_text_of_the_checker(project: Path) -> None:
    done = bash("tilelang-check kernels --target t4 --no-cache --format concise", project)
    lines = done.stdout.splitlines()
    found = [matched(line) for line in lines]
    assert [bool(it) for it in found] == ["[" in line for line in lines]
    assert [it["severity"] for it in found if it] == ["notice", "error"]
    (error,) = [it for it in found if it and it["severity"] == "error"]
    message = error.pop("message")
    assert error == {
        "severity": "error",
        "file": "kernels/big.py",
        "line": "35",
        "column": "41",
        "code": "shared-memory-overflow",
    }
    assert message.startswith("shared memory 81 920 B exceeds")


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("C:\\k\\a.py:1:2: warning[lossy-cast] x: y[z] (sm_75)", "C:\\k\\a.py"),
        ("n.ipynb:cell 3:2:5: error[unknown-name] m", None),
        ("error: gone.py: no such file or folder", None),
    ],
)
def test_what_the_matcher_takes_for_a_finding(line: str, file: str | None) -> None:
    assert matched(line).get("file") == file
    assert matched(line).get("severity", "error") in LEVELS


# --- the page ---------------------------------------------------------------------------------------------------------


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(), re.DOTALL)


def test_examples_of_the_page_follow_the_schemas(tmp_path: Path) -> None:
    checked: list[str] = []
    for block in blocks("yaml"):
        name = block.split("\n")[0].removeprefix("# ")
        if name == ".pre-commit-config.yaml":
            file = tmp_path / name
            file.write_text(block)
            try:
                config = load_config(str(file))
            except InvalidConfigError as error:
                pytest.fail(str(error))
            assert config["repos"][0]["hooks"][0]["id"] == hook()["id"]
        else:
            kind = {
                ".github/workflows/kernels.yml": "github-workflows.json",
                ".gitlab-ci.yml": "gitlab-ci.json",
                "azure-pipelines.yml": "azure-pipelines.json",
            }[name]
            assert complaints(kind, loaded(block)) == [], name
        checked.append(name)
    assert len(checked) == 4
    workflow = next(loaded(it) for it in blocks("yaml") if "workflows" in it)
    step = workflow["jobs"]["kernels"]["steps"][1]
    assert set(step["with"]) <= set(action()["inputs"])


def test_commands_of_the_page_work(project: Path) -> None:
    commands = [line.removeprefix("$ ") for block in blocks("console") for line in block.splitlines()]
    assert len(commands) == 8
    for command in commands:
        # Programs of others may not be here.
        own = command.split(" | ")[0]
        done = bash(own.replace("tilelang-check", "tilelang-check --no-cache --target t4"), project)
        assert (done.returncode, done.stderr if "rdjson" not in own and "statistics" not in own else "") == (
            (1, "") if "tilelang-check" in own else (0, "")
        ), command
    matcher = re.search(r"::add-matcher::(\S+)\"", PAGE.read_text())
    assert matcher
    assert (ROOT / matcher[1]).is_file()


def test_links_of_the_page_lead_somewhere() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", PAGE.read_text())
    assert links
    assert [it for it in links if not (PAGE.parent / it).exists()] == []
