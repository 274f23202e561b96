"""The table of names: every public name resolves, with upstream's signature, and is documented."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import tilelang
import tilelang.language as T
from tilelang.language import registry
from tilelang.language.suggest import edit_distance, nearest

ROOT = Path(__file__).resolve().parents[2]
PUBLIC: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "data" / "signatures.json").read_text())
LANGUAGE = PUBLIC["tilelang.language"]

# Enumerations and types whose constructor nobody calls with these parameters, and dtypes that are functions upstream.
UNSIGNED = {"Any", "GemmWarpPolicy", "KernelLaunchFrame", "Ref", "WSSyncKind", "WarpSpecializeFrame", "dtype"}
UNSIGNED |= {"JITFunc", "PrimFunc", "PassConfigKey", "TensorSupplyType", "DataType", "Path"}
UNSIGNED |= {name for name in LANGUAGE if name.startswith("bfloat16x")}
KINDS = {"POSITIONAL_OR_KEYWORD": "by place or name", "KEYWORD_ONLY": "by name"}


def shape(parameters: list[list[Any]]) -> list[tuple[str, str, bool]]:
    """Names, kinds and whether there is a default."""
    return [(name, kind, default is not None) for name, kind, default in parameters]


def ours(function: Any) -> list[tuple[str, str, bool]]:
    signature = inspect.signature(function)
    return [(p.name, p.kind.name, p.default is not inspect.Parameter.empty) for p in signature.parameters.values()]


def test_there_are_enough_names() -> None:
    assert len(LANGUAGE) == 761
    assert len(registry.all_names()) == len(LANGUAGE)


def test_every_name_resolves() -> None:
    for name in LANGUAGE:
        item = registry.lookup(name)
        assert item is not None, name
        found = getattr(T, name)
        assert isinstance(found, types.ModuleType) == (item.kind == "module"), name


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, (kind, parameters) in LANGUAGE.items()
        if parameters is not None
        and kind in ("function", "class", "decorator", "callable-object")
        and name not in UNSIGNED
    ],
)
def test_signatures_are_upstreams(name: str) -> None:
    assert ours(getattr(T, name)) == shape(LANGUAGE[name][1])


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, (kind, parameters) in PUBLIC["tilelang"].items()
        if parameters is not None and kind in ("function", "decorator", "class") and name not in UNSIGNED
    ],
)
def test_signatures_at_the_top_are_upstreams(name: str) -> None:
    assert ours(getattr(tilelang, name)) == shape(PUBLIC["tilelang"][name][1])


def test_plain_defaults_are_upstreams() -> None:
    """Numbers, strings, None and bools; types and members are written in their own way."""
    compared = 0
    for name, (kind, parameters) in LANGUAGE.items():
        if parameters is None or kind not in ("function", "callable-object") or name in UNSIGNED:
            continue
        signature = inspect.signature(getattr(T, name))
        for parameter, _, default in parameters:
            plain = default is not None and not any(mark in default for mark in ("<", "(", "dtype"))
            if plain:
                assert repr(signature.parameters[parameter].default) == default, (name, parameter)
                compared += 1
    assert compared > 300


def test_top_level_names_resolve() -> None:
    for name in PUBLIC["tilelang"]:
        assert getattr(tilelang, name, None) is not None or name in dir(tilelang), name


def test_functions_and_classes_are_documented() -> None:
    for name in LANGUAGE:
        item = registry.lookup(name)
        assert item is not None
        if item.kind in ("function", "class", "decorator", "annotation") and name not in ("Any", "AnyDType"):
            assert item.doc, name


def test_the_names_in_use_are_modelled() -> None:
    total = sum(registry.uses_of(name) for name in LANGUAGE)
    items = [registry.lookup(name) for name in LANGUAGE]
    modelled = sum(item.uses for item in items if item is not None and item.modelled)
    assert modelled / total > 0.98


def test_lookup() -> None:
    item = registry.lookup("gemm")
    assert item is not None
    assert (item.kind, item.category, item.modelled, item.status) == ("function", "gemm", True, "current")
    assert item.signature is not None
    assert list(item.signature.parameters)[:3] == ["A", "B", "C"]
    assert registry.lookup("aloc_shared") is None
    opaque = registry.lookup("ptx_mma")
    assert opaque is not None
    assert not opaque.modelled
    removed = registry.lookup("determine_fp8_type")
    assert removed is not None
    assert removed.status == "removed"
    assert T.determine_fp8_type("e5m2") == "float8_e5m2"


def test_importing_a_module_hides_no_function() -> None:
    """A submodule becomes an attribute of its package, so none may have the name of a function."""
    for path in (ROOT / "tilelang" / "language").glob("*.py"):
        item = registry.lookup(path.stem)
        assert item is None or item.kind == "module", path.stem


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("aloc_shared", "alloc_shared"),
        ("alloc_share", "alloc_shared"),
        ("Pipelind", "Pipelined"),
        ("kernel", "Kernel"),
        ("ceil_div", "ceildiv"),
        ("reduce_sun", "reduce_sum"),
        ("flaot16", "float16"),
        ("parralel", "parallel"),
        ("completely_other", None),
        ("xy", None),
    ],
)
def test_suggestions(wrong: str, right: str | None) -> None:
    assert registry.suggest(wrong) == right


def test_edit_distance_counts_swaps_and_stops() -> None:
    assert edit_distance("ab", "ba", 3) == 1
    assert edit_distance("kitten", "sitting", 5) == 3
    assert edit_distance("kitten", "sitting", 1) == 2
    assert nearest("colour", ["color", "column"]) == "color"


class TestBinding:
    def test_what_fits(self) -> None:
        for function, args, kwargs in (
            (T.gemm, (1, 2, 3), {"transpose_B": True}),
            (T.Kernel, (1, 2, 3), {"threads": 128}),
            (T.alloc_var, ("int32", 1, "local"), {}),
            (T.Tensor, ((1,), "float16"), {}),
            (T.Layout, ((1,), lambda i: i), {}),
            (T.device_assert, (1, "text"), {"other": 2}),
            (T.GemmWarpPolicy, (0,), {}),
            (T.float16, (1,), {}),
            (T.WSRole, ("a",), {"warps_lo": 0, "warps_hi": 4}),
            (T.tma_load, (1, 2, 3), {}),
        ):
            assert registry.bind(function, args, kwargs) is None, function

    def test_unknown_keyword(self) -> None:
        problem = registry.bind(T.gemm, (1, 2, 3), {"transpose_b": True})
        assert problem is not None
        assert (problem.kind, problem.argument, problem.suggestion) == (
            "unknown-argument",
            "transpose_b",
            "transpose_B",
        )
        assert (problem.known_version, problem.drop) == (None, ("transpose_b",))

    def test_keyword_of_another_dialect(self) -> None:
        problem = registry.bind(T.gemm, (1, 2, 3), {"k_pack": 2})
        assert problem is not None
        assert (problem.known_version, problem.suggestion) == ("the ROCm dialect", None)

    def test_a_parameter_that_is_given_is_not_suggested(self) -> None:
        problem = registry.bind(T.copy, (), {"src": 1, "dst": 2, "srcc": 3})
        assert problem is not None
        assert problem.suggestion is None

    def test_missing_surplus_and_double(self) -> None:
        missing = registry.bind(T.gemm, (1, 2), {})
        surplus = registry.bind(T.copy, (1, 2, 3), {})
        double = registry.bind(T.copy, (1, 2), {"src": 3})
        keyword = registry.bind(T.tcgen05_gemm, (1, 2, 3), {})
        opaque = registry.bind(T.ptx_cp_async, (1, 2), {})
        assert missing is not None
        assert (missing.kind, missing.argument, missing.message) == ("invalid-argument", "C", "must be given")
        assert surplus is not None
        assert surplus.message == "takes at most 2 positional arguments"
        assert double is not None
        assert (double.argument, double.message) == ("src", "must be given once")
        assert keyword is not None
        assert keyword.argument == "mbar"
        assert opaque is not None
        assert opaque.argument == "num_elems"

    def test_wrappers_of_tvm_take_a_dtype(self) -> None:
        problem = registry.bind(T.ceil, (1,), {"dtype": "float32"})
        assert problem is not None
        assert problem.kind == ""
        assert problem.drop == ("dtype",)
        # Where the type is the first parameter, it may be named while the rest is given by place.
        assert registry.bind(T.call_extern, ("f", 1), {"dtype": "int32"}) is None
        assert T.call_extern("f", 1, dtype="int32").dtype == "int32"  # type: ignore[misc]  # the same for checkers as twice


def test_importing_the_language_is_light() -> None:
    """The package itself loads nothing; a name loads the module it lives in."""
    program = (
        "import sys, tilelang.language as T\n"
        "print(*[name for name in sys.modules if name.startswith('tilelang.')])\n"
        "T.copy\n"
        "print(*[name for name in sys.modules if name.startswith('tilelang.language')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    before, after = done.stdout.splitlines()
    assert before.split() == ["tilelang.language"]
    assert "tilelang.language.copies" in after.split()
    assert not any("opaque" in name or "reductions" in name for name in after.split())


def test_a_kernel_is_compiled_before_it_runs() -> None:
    @tilelang.jit
    def factory(n: int) -> object:
        return n

    @T.prim_func
    def program() -> None: ...

    assert factory.__name__ == "factory"
    with pytest.raises(TypeError, match=r"factory must return a function under @T\.prim_func, not a int"):
        factory(1)
    with pytest.raises(TypeError, match=r"call tilelang\.compile\(program\)"):
        program()


def test_jit_is_the_decorator_and_the_module() -> None:
    from importlib import import_module

    module: Any = import_module("tilelang.jit")
    decorated = module(lambda: 1)
    assert type(decorated).__name__ == "JITImpl"
    assert type(tilelang.jit(out_idx=[-1])(lambda: 1)).__name__ == "JITImpl"
    assert module.JITKernel is tilelang.JITKernel
