"""Listings of programs: tile IR, TIR and CUDA."""

from __future__ import annotations

from pathlib import Path

from listing.captured import KERNEL, cuda

from tilelang.frontend.project import EvaluatorSettings, Project
from tilelang.listing import Place, cuda_listing, tile_ir_listing, tir_listing

ROOT = Path(__file__).parents[2]


def test_line_directives_become_places() -> None:
    listing = cuda()
    assert "#line" not in listing.text
    (barrier,) = (line for line in listing.lines if "__syncthreads" in line.text)
    assert barrier.places == (Place(KERNEL, 11),)
    assert listing.lines_of(KERNEL, 13) == (listing.lines.index(barrier) + 2,)


def test_lines_of_one_directive_count_on() -> None:
    text = '#line 7 "/k.py"\nint a;\nint b;\n\nint c;\n#line 3\nint d;\n'
    listing = cuda_listing(text, program="k", target="sm_80", sources=("/k.py",))
    assert [line.places[0].line for line in listing.lines if line.places] == [7, 8, 10, 3]


def test_quotes_in_paths() -> None:
    listing = cuda_listing('#line 1 "/a \\"b\\"/k.py"\nint a;\n', program="k", target="sm_80", sources=('/a "b"/k.py',))
    assert listing.mapped.share == 1.0


def test_helpers_are_no_lines_of_the_user() -> None:
    (helper,) = (index for index, line in enumerate(cuda().lines) if "x * 2.0f" in line.text)
    assert cuda().lines[helper].places == (Place("tilelang_prologue.cuh", 3),)
    assert cuda().python_lines(helper) == ()


def test_braces_and_comments_do_not_count() -> None:
    kinds = {line.text.strip(): line.kind for line in cuda().lines}
    assert kinds["}"] == "directive"
    assert kinds["// One helper, which the compiler inlines."] == "comment"


def test_the_kernel_begins_at_its_head() -> None:
    (function,) = cuda().functions
    assert "__global__" in cuda().lines[function.first].text
    assert function.threads == 128


def test_tir_markers_become_places() -> None:
    marker = 'T.evaluate(T.call_extern("void", "__tl_line", {}))'
    text = "\n".join([marker.format("0, 12"), "A[0] = 1", marker.format("1, 4"), "B[0] = 2"])
    listing = tir_listing(text, stage="tir", program="k", target="sm_80", files=("/k.py", "/m.py"))
    assert [(line.text, line.places) for line in listing.lines] == [
        ("A[0] = 1", (Place("/k.py", 12),)),
        ("B[0] = 2", (Place("/m.py", 4),)),
    ]


def test_tile_ir_of_an_example() -> None:
    path = ROOT / "examples/gemm.py"
    program = Project(ROOT, EvaluatorSettings(archs=("sm_80",))).analyse(path).instances[0].program
    listing = tile_ir_listing(program)
    source = path.read_text(encoding="utf-8").splitlines()
    assert listing.mapped.share == 1.0
    (gemm,) = (index for index, line in enumerate(listing.lines) if line.text.strip().startswith("gemm"))
    assert "T.gemm" in source[listing.python_lines(gemm)[0].line - 1]
