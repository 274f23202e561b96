"""Hover, hints, lenses, tokens and symbols as data."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsp.ide import CURSOR, GEMM, at_cursor, checked, new_session, project

from tilelang_lsp.files import SourceFile
from tilelang_lsp.ide.code_lens import code_lenses, instance_comment
from tilelang_lsp.ide.hover import ItemHover, KernelHover, LoopHover, RuleHover, TileHover, ValueHover, hover
from tilelang_lsp.ide.hover_text import markdown, plain_text
from tilelang_lsp.ide.inlay_hints import inlay_hints
from tilelang_lsp.ide.inline_values import inline_values
from tilelang_lsp.ide.semantic_tokens import semantic_tokens
from tilelang_lsp.ide.structure import Fold, folds, selections
from tilelang_lsp.ide.symbols import FileSymbol, document_symbols, fuzzy, workspace_symbols
from tilelang_lsp.options import read

MACRO = """\
import tilelang.language as T


@T.macro
def load(X, tile, k):
    T.copy(X[0, k * 32], tile)


@T.prim_func
def main(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(2, threads=64) as bx:
        a = T.alloc_shared((32, 32), "float16")
        b, c = T.alloc_fragment((32, 32), "float32"), T.alloc_local((4,), "int8")
        for k in T.serial(2):
            load(A, a, k)
        for i, j in T.Parallel(32, 32):
            b[i, j] = a[i, j] * 2
"""


def hovered(source: str, needle: str, path: str = "/project/k.py") -> object:
    """What hovering over the first mention of a text shows."""
    offset = source.index(needle)
    return hover(*at_cursor(source[:offset] + CURSOR + source[offset:], path))


def test_hover_over_a_tile_has_its_figures_on_every_target() -> None:
    found = hovered(GEMM, "A_tile = ")
    assert isinstance(found, TileHover)
    tile = found.tile
    assert (tile.name, tile.type_text, tile.scope, tile.nbytes) == ("A_tile", "float16[128, 32]", "shared", 8192)
    assert [(each.target, each.bytes, each.copies) for each in tile.on] == [("T4", 24576, 3), ("A100", 24576, 3)]
    assert [(use.mode, use.span.line) for use in tile.uses] == [("write", 17), ("read", 19)]
    assert "24 KiB in 3 copies, one for each stage" in markdown(found)
    assert "**" not in plain_text(found)
    assert "`" not in plain_text(found)


def test_hover_over_a_fragment_counts_registers() -> None:
    found = hovered(GEMM, "acc = ")
    assert isinstance(found, TileHover)
    assert [each.registers for each in found.tile.on] == [128, 128]


def test_hover_in_a_macro_shows_the_tile_that_a_call_hands_in() -> None:
    found = hovered(MACRO, "tile)\n")
    assert found is None  # a macro stands outside of its kernel's lines: nothing certain is known about its parameters
    tile = hovered(MACRO, "a, k)")
    assert isinstance(tile, TileHover)
    assert [use.mode for use in tile.tile.uses] == ["write", "read"]


def test_names_bound_together_are_told_apart() -> None:
    first, second = hovered(MACRO, "b, c = "), hovered(MACRO, "c = T")
    assert isinstance(first, TileHover)
    assert isinstance(second, TileHover)
    assert (first.tile.dtype, second.tile.dtype) == ("float32", "int8")


def test_hover_over_loops_and_launch_variables() -> None:
    loop = hovered(GEMM, "k in T.Pipelined")
    assert isinstance(loop, LoopHover)
    assert (loop.kind, loop.trips, loop.stages) == ("pipelined", "32", 3)
    block = hovered(GEMM, "by):")
    assert isinstance(block, LoopHover)
    assert (block.kind, block.trips) == ("block index", "8")
    nest = hovered(MACRO, "j in T.Parallel")
    assert isinstance(nest, LoopHover)
    assert nest.trips == "32"


def test_hover_over_a_size_has_its_value_in_each_instance() -> None:
    found = hovered(GEMM + "matmul(64, 64, 64, block_m=64)\n", "block_m, block_k)")
    assert isinstance(found, ValueHover)
    assert [value for value, _ in found.values] == ["128", "64"]


def test_hover_over_a_kernel_has_its_work() -> None:
    found = hovered(GEMM, "kernel(A")
    assert isinstance(found, KernelHover)
    (launch,) = found.launches
    assert (launch.grid, launch.threads) == (("8", "8"), ("128",))
    assert launch.workload is not None
    assert launch.workload.flops == 2 * 1024**3
    # Every block reads a row of tiles of A and a column of tiles of B; C is written once.
    assert launch.workload.traffic == 8 * 8 * 32 * (128 * 32 + 32 * 128) * 2 + 1024 * 1024 * 2
    assert launch.workload.bytes == 3 * 1024 * 1024 * 2
    assert [(each.label, each.shared, each.limit) for each in launch.targets] == [
        ("T4", 49152, 49152),
        ("A100", 49152, 166912),
    ]
    assert all(each.roofline is not None and each.roofline.microseconds > 1 for each in launch.targets)


def test_hover_over_the_language_and_over_rules() -> None:
    item = hovered(GEMM, "gemm(A_tile")
    assert isinstance(item, ItemHover)
    assert markdown(item).startswith("```python\nT.gemm(")
    rule = hovered(GEMM.replace("T.clear(acc)", "T.clear(acc)  # tl: ignore[unused-buffer]"), "unused-buffer")
    assert isinstance(rule, RuleHover)
    assert rule.name == "unused-buffer"


def rendered(source: str) -> list[str]:
    """The lines of a source that have hints, with the hints in them."""
    snapshot = checked(source)
    lines = source.splitlines()
    marked: dict[int, str] = {}
    for hint in reversed(inlay_hints(snapshot, 1, len(lines))):
        text = marked.get(hint.line, lines[hint.line - 1]).encode()
        marked[hint.line] = (text[: hint.col] + f"«{hint.text}»".encode() + text[hint.col :]).decode()
    return [marked[line].strip() for line in sorted(marked)]


def test_hints_in_the_source() -> None:
    assert rendered(MACRO) == [
        "with T.Kernel(2, threads=64)« 2 blocks of 64 threads» as bx:",
        'a«: float16[32, 32] shared · 2 KiB» = T.alloc_shared((32, 32), "float16")',
        'b«: float32[32, 32] fragment», c«: int8[4] local» = T.alloc_fragment((32, 32), "float32"), T.alloc_local((4,), "int8")',  # noqa: E501
        "for k in T.serial(2)« 2 iterations»:",
        "for i, j in T.Parallel(32, 32)« 32 × 32 iterations»:",
    ]


def test_hints_show_values_that_the_source_does_not() -> None:
    lines = rendered(GEMM)
    assert lines[0] == (
        "def matmul(M« = 1024», N« = 1024», K« = 1024», block_m=128, block_n=128, block_k=32, num_stages=3):"
    )


@pytest.mark.parametrize("kind", ["tiles", "values", "loops", "launches"])
def test_each_kind_of_hint_has_a_switch(kind: str) -> None:
    session = new_session()
    every = inlay_hints(checked(GEMM, session=session), 1, 100)
    options, problems = read({"target": ["t4"], "inlayHints": {kind: False}})
    assert problems == ()
    session.configure(options)
    fewer = inlay_hints(checked(GEMM, session=session), 1, 100)
    gone = {hint.kind for hint in every} - {hint.kind for hint in fewer}
    assert gone == {kind.removesuffix("s") if kind != "launches" else "launch"}


def test_values_beside_the_lines_of_a_kernel_that_is_debugged() -> None:
    lines = GEMM.splitlines()
    first = next(number for number, line in enumerate(lines, 1) if "with T.Kernel" in line)
    found = {each.text for each in inline_values(checked(GEMM), first, first + 6)}
    assert {"bx < 8", "by < 8", "block_m = 128", "num_stages = 3", "k < 32"} <= found
    assert "A_tile: float16[128, 32] shared" in found
    assert inline_values(checked(GEMM), 1, 3) == []


def test_lenses_without_arguments_offer_a_comment() -> None:
    source = GEMM.replace("\nmatmul(1024, 1024, 1024)\n", "")
    snapshot = checked(source)
    (lens,) = [each for each in code_lenses(snapshot) if each.action == "instance-comment"]
    assert lens.title == "1 of 1 have no known arguments: add an instance comment"
    assert lens.line == 5
    found = instance_comment(snapshot, lens.def_line)
    assert found is not None
    line, text = found
    lines = source.splitlines(keepends=True)
    after = checked("".join([*lines[: line - 1], text, *lines[line - 1 :]]))
    assert [each.origin for each in after.analysis.instances] == ["directive"] if after.analysis else False


def test_tokens_say_which_memory_a_tile_is_in() -> None:
    snapshot = checked(GEMM)
    lines = GEMM.splitlines()
    found = {
        (lines[token.line - 1].encode()[token.col : token.col + token.length].decode(), token.type): token.modifiers
        for token in semantic_tokens(snapshot, 17, 20)
    }
    assert found["A_tile", "tile"] == ("shared",)
    assert found["acc", "tile"] == ("fragment",)
    assert found["C", "tile"] == ("modification", "global")
    assert ("k", "loopVariable") in found
    assert ("gemm", "function") in found
    assert all(17 <= token.line <= 20 for token in semantic_tokens(snapshot, 17, 20))


def outline(symbols: tuple[FileSymbol, ...], depth: int = 0) -> list[str]:
    return [
        line
        for each in symbols
        for line in [f"{'  ' * depth}{each.kind} {each.name}", *outline(each.children, depth + 1)]
    ]


def test_the_outline_nests_as_a_kernel_does() -> None:
    assert outline(document_symbols(checked(MACRO))) == [
        "function load",
        "kernel main",
        "  parameter A",
        "  tile a",
        "  loop k",
        "  loop (i, j)",
    ]


def test_the_outline_survives_a_broken_statement() -> None:
    names = outline(document_symbols(checked(MACRO.replace("load(A, a, k)", "load(A, a,"))))
    assert "kernel main" in names


def test_symbols_of_the_workspace(tmp_path: Path) -> None:
    session = project(tmp_path, {"a.py": GEMM, "b.py": MACRO, "plain.py": "def matmul(): ...\n"})
    found = workspace_symbols(session.workspace, "ma")
    assert [(match.name, match.kind) for match in found][:2] == [("main", "kernel"), ("matmul", "function")]
    assert len(found) == 2
    assert fuzzy("kr", "kernel") is not None
    assert fuzzy("rk", "kernel") is None


def test_folds_and_selections() -> None:
    source = "# one\n# two\nimport tilelang\nimport tilelang.language as T\n\n\ndef f(\n    x,\n):\n    return x\n"
    file = SourceFile.open("/project/k.py", source)
    assert Fold(1, 2, "comment") in folds(file)
    assert Fold(3, 4, "imports") in folds(file)
    assert Fold(7, 10) in folds(file)
    lines = source.splitlines()
    spans = selections(file, 10, 11)
    texts = [lines[9][span.col : span.end_col] for span in spans if span.line == span.end_line == 10]
    assert texts == ["x", "return x"]
    assert (spans[-1].line, spans[-1].end_line) == (1, 11)
