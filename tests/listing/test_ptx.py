"""PTX: places from ``.loc``, functions, inline assembly."""

from __future__ import annotations

import pytest
from listing.captured import HELPERS, KERNEL, ptx, text

from tilelang.listing import Place, ptx_listing
from tilelang.listing.ptx import instruction_of, places_of_lines


def test_every_instruction_leads_to_its_line() -> None:
    assert ptx().mapped.total == 82
    assert ptx().mapped.share == 1.0


def test_inlined_code_belongs_to_the_helper_and_to_the_line_that_uses_it() -> None:
    (product,) = (line for line in ptx().lines if "%f2, %f1" in line.text)
    assert product.places == (Place(HELPERS, 3), Place(KERNEL, 10))


def test_line_directives_are_not_shown() -> None:
    assert not any(word in ptx().text for word in (".loc", ".file"))


def test_the_function_ends_where_its_body_does() -> None:
    (function,) = ptx().functions
    assert function.name == "scale"
    assert ptx().lines[function.first].text.startswith(".visible .entry scale(")
    assert ptx().lines[function.last].text == "}"


def test_places_by_line_of_the_text() -> None:
    rows = text("ptx").splitlines()
    places = places_of_lines(text("ptx"), (KERNEL,))
    assert len(places) == len(rows)
    assert places[rows.index("\tbar.sync \t0;")] == (Place(KERNEL, 11),)


INLINE = """\
.visible .entry k()
{
\t.loc 1 7 3
\t// begin inline asm
\tmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
\t{%f1,%f2,%f3,%f4},
\t{%r1,%r2,%r3,%r4},
\t{%r5,%r6},
\t{%f1,%f2,%f3,%f4};
\t// end inline asm
\t{ .reg .pred p; setp.ne.b32 p, %r1, 0; @p cp.async.cg.shared.global [%r1], [%rd1], 16; }
\tret;
}
\t.file\t1 "/k.py"
"""


def test_inline_assembly_counts_once_each() -> None:
    listing = ptx_listing(INLINE, program="k", target="sm_80", sources=("/k.py",))
    assert listing.mix_of("/k.py", 7).text == "1 mma.m16n8k16 · 1 cp.async · 1 control"
    assert listing.mapped.total == 3
    assert listing.mapped.share == 1.0
    assert len(listing.lines_of("/k.py", 7)) == 7, "the operands of the product belong to it"


def test_calls_inlined_into_inlined_calls() -> None:
    body = (
        ".entry k()\n{\n.loc 2 3 1, function_name $L, inlined_at 1 9 2\n"
        ".loc 3 4 1, function_name $M, inlined_at 2 3 1\n"
        'add.f32 %f1, %f1, %f1;\n}\n.file 1 "/k.py"\n.file 2 "/x/a.cuh"\n.file 3 "/x/b.cuh"\n'
    )
    listing = ptx_listing(body, program="k", target="sm_80", sources=("/k.py",))
    (line,) = (line for line in listing.lines if line.instruction)
    assert line.places == (Place("b.cuh", 4), Place("a.cuh", 3), Place("/k.py", 9))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("ld.global.nc.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];", "global"),
        ("st.shared.f32 [%rd2], %f2;", "shared"),
        ("ld.param.u64 %rd4, [k_param_0];", "constant"),
        ("st.shared::cta.b32 [%r1], %r2;", "shared"),
        ("ld.local.u32 %r1, [%rd1];", "local"),
        ("st.u32 [%rd1], %r1;", "memory"),
        ("fma.rn.f32 %f2, %f1, %f1, %f1;", "float"),
        ("fma.rn.f16x2 %r2, %r1, %r1, %r1;", "half"),
        ("add.s32 %r1, %r1, 4;", "int"),
        ("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {%f1}, %rd1, %rd2, p, 1, 1, 0, 0;", "tensor"),
        ("wgmma.wait_group.sync.aligned 0;", "barrier"),
        ("tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, p;", "tensor"),
        ("tcgen05.ld.sync.aligned.32x32b.x16.b32 {%r1}, [%r2];", "memory"),
        ("shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;", "warp"),
        ("atom.global.add.f32 %f1, [%rd1], %f2;", "atomic"),
        ("ex2.approx.ftz.f32 %f1, %f2;", "special"),
        ("@%p1 bra $L__BB0_7;", "control"),
    ],
)
def test_classes(text: str, kind: str) -> None:
    found = instruction_of(text)
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize("text", ["", ".reg .pred p", "// only a comment"])
def test_what_is_no_instruction(text: str) -> None:
    assert instruction_of(text) is None
