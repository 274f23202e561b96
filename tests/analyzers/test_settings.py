"""`[tool.tilelang]`, the command line, and what is said about mistakes in them."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from tilelang_analyzers.config import Config, project_root
from tilelang_analyzers.rule import Group
from tilelang_analyzers.rules import GROUPS, names
from tilelang_analyzers.settings import OPTIONS, Settings, SettingsError, validate


def project(folder: Path, table: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text(table)
    return folder


def complaint(table: dict[str, object]) -> str:
    with pytest.raises(SettingsError) as caught:
        validate(table, "pyproject.toml")
    return str(caught.value)


def test_every_option_is_a_field_and_the_other_way_round() -> None:
    fields = {name.replace("_", "-") for name in Settings.__dataclass_fields__}
    assert fields - {"root", "origins"} == set(OPTIONS)


def test_the_groups_are_those_of_the_type() -> None:
    assert get_args(Group) == GROUPS


def test_a_table_is_read(tmp_path: Path) -> None:
    table = """
[tool.tilelang]
target = ["t4", "ci"]
select = "shape, budget"
max-instances = 10
timeout = 2.5
exclude = ["third_party/"]
[tool.tilelang.target-groups]
ci = ["a100", "h100", "t4"]
[tool.tilelang.targets.t4]
shared-memory-optin = true
[tool.tilelang.rules]
low-occupancy = "info"
[tool.tilelang.per-file-ignores]
"tests/**" = ["shape"]
[tool.tilelang.environment]
TL_DEBUG = "1"
"""
    root = project(tmp_path / "p", table)
    settings = Config().for_file(root / "deep" / "down" / "kernel.py")
    assert settings.root == str(root)
    assert settings.target_names() == ("t4", "a100", "h100")
    assert settings.select == ("shape", "budget")
    assert (settings.max_instances, settings.timeout) == (10, 2.5)
    assert settings.targets == {"t4": {"shared-memory-optin": True}}
    assert settings.per_file_ignores == {"tests/**": ("shape",)}
    assert settings.environment == {"TL_DEBUG": "1"}
    assert settings.origins["max-instances"] == str(root / "pyproject.toml")
    assert "ignore" not in settings.origins


def test_a_list_under_targets_is_the_list_of_targets() -> None:
    assert validate({"targets": ["t4", "a100"]}, "x") == {"target": ("t4", "a100")}
    assert "both list targets" in complaint({"target": "t4", "targets": ["a100"]})


def test_groups_of_targets_may_name_groups_and_end() -> None:
    settings = Settings("/", target=("a",), target_groups={"a": ("b", "t4"), "b": ("a", "h100")})
    assert settings.target_names() == ("a", "h100", "t4")


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ({"tragets": ["t4"]}, "pyproject.toml: unknown key `tragets`, did you mean `targets`?"),
        ({"qwertyuiop": 1}, "pyproject.toml: unknown key `qwertyuiop`"),
        ({"exclude": "a"}, "pyproject.toml: `exclude` must be a list of strings, not 'a'"),
        ({"exclude": [1]}, "pyproject.toml: `exclude` must be a list of strings, not [1]"),
        ({"cache": "yes"}, "pyproject.toml: `cache` must be true or false, not 'yes'"),
        ({"max-instances": True}, "pyproject.toml: `max-instances` must be a whole number above 0, not true"),
        ({"max-instances": 0}, "pyproject.toml: `max-instances` must be a whole number above 0, not 0"),
        ({"timeout": float("nan")}, "pyproject.toml: `timeout` must be a number of seconds above 0, not nan"),
        ({"rules": ["x"]}, "pyproject.toml: `rules` must be a table, not ['x']"),
        (
            {"rules": {"gemm-shape-mismatch": "eror"}},
            (
                "pyproject.toml: `rules`: level of `gemm-shape-mismatch` must be one of off, info, warning, error, "
                "did you mean `error`?"
            ),
        ),
        (
            {"rules": {"gemm-shape-mismatc": "error"}},
            "pyproject.toml: `rules`: unknown rule `gemm-shape-mismatc`, did you mean `gemm-shape-mismatch`?",
        ),
        (
            {"ignore": ["copy-shape-mismath"]},
            "pyproject.toml: `ignore`: unknown rule `copy-shape-mismath`, did you mean `copy-shape-mismatch`?",
        ),
        (
            {"targets": {"t4": {"shared-memory-opt-in": True}}},
            (
                "pyproject.toml: `targets`: unknown key `shared-memory-opt-in` of `t4`, "
                "did you mean `shared-memory-optin`?"
            ),
        ),
        (
            {"per-file-ignores": {"a.py": ["nope-nope"]}},
            "pyproject.toml: `per-file-ignores`, `a.py`: unknown rule `nope-nope`",
        ),
        ({"environment": {"A": 1}}, "pyproject.toml: `environment`, `A`, must be a string, not 1"),
    ],
)
def test_mistakes_are_named_with_what_was_meant(table: dict[str, object], expected: str) -> None:
    assert complaint(table) == expected


def test_the_nearest_table_counts_and_files_without_one_do_not(tmp_path: Path) -> None:
    outer = project(tmp_path / "p", "[tool.tilelang]\nmax-instances = 1\n")
    project(outer / "plain", "[project]\nname = 'tilelang'\n")
    inner = project(outer / "inner", "[tool.tilelang]\nmax-instances = 2\n")
    config = Config()
    assert config.for_file(outer / "plain" / "a.py").max_instances == 1
    assert config.for_file(inner / "a.py").max_instances == 2
    assert config.for_file(tmp_path / "a.py").max_instances == Settings("").max_instances
    assert Config(isolated=True).for_file(inner / "a.py").max_instances == Settings("").max_instances


def test_the_command_line_wins_and_ignores_add_up(tmp_path: Path) -> None:
    table = "[tool.tilelang]\ntarget = 't4'\nignore = ['lossy-cast']\nselect = ['shape']\n"
    root = project(tmp_path / "p", table)
    given = validate({"target": "h100", "ignore": "dtype", "select": "all"}, "command line")
    settings = Config(given, ["max-instances = 3", "cache-dir=/x\\y"]).for_file(root / "a.py")
    assert settings.target == ("h100",)
    assert settings.ignore == ("lossy-cast", "dtype")
    assert settings.select == ("all",)
    assert (settings.max_instances, settings.cache_dir) == (3, "/x\\y")
    assert settings.origins["max-instances"] == "--config max-instances = 3"


def test_assignments_take_toml_values_and_dotted_keys() -> None:
    config = Config({}, ["rules.lossy-cast='off'", "exclude=['a', 'b']", "targets.t4.shared-memory-optin=true"])
    settings = config.for_folder(Path("/"))
    assert settings.rules == {"lossy-cast": "off"}
    assert settings.exclude == ("a", "b")
    assert settings.targets == {"t4": {"shared-memory-optin": True}}
    with pytest.raises(SettingsError, match="expected key=value"):
        Config({}, ["max-instances"])
    with pytest.raises(SettingsError, match="did you mean `cache`"):
        Config({}, ["cahce=true"])


def test_broken_toml_is_reported_with_its_file(tmp_path: Path) -> None:
    root = project(tmp_path / "p", "[tool.tilelang\n")
    with pytest.raises(SettingsError, match=r"pyproject.toml: .*line 1"):
        Config().for_file(root / "a.py")


def test_a_project_ends_at_its_marks(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "src").mkdir()
    assert project_root(tmp_path / "repo" / "src") == tmp_path / "repo"


def test_rules_are_found_by_file_name() -> None:
    assert "gemm-shape-mismatch" in names()
    assert not [name for name in names() if name.startswith(("_", "docs"))]
