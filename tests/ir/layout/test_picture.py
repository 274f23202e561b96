"""Pictures of layouts."""

from __future__ import annotations

from xml.etree import ElementTree

from tilelang.ir.layout import fully_replicated, linear_layout, swizzles
from tilelang.ir.layout.matrix import BlockTile, accumulator
from tilelang.ir.layout.picture import cells, grid, summary, svg

TILE = accumulator("mma", BlockTile(16, 8, 16, 1, 1), 16)


def test_grid_of_a_fragment() -> None:
    assert TILE is not None
    lines = grid(TILE).splitlines()
    assert lines[0].split() == ["0:0", "0:1", "1:0", "1:1", "2:0", "2:1", "3:0", "3:1"]
    assert lines[8].split()[0] == "0:2"
    assert len(lines) == 16


def test_grid_names_copies_and_what_is_cut() -> None:
    assert grid(fully_replicated((2, 2), 4)).split() == ["0+3:0", "0+3:1", "0+3:2", "0+3:3"]
    assert grid(linear_layout((64, 64)), rows=1, columns=3).splitlines() == ["0 1 2", "... of 64 x 64"]


def test_a_row_of_elements_is_a_matrix_of_one_row() -> None:
    assert [[cell.text for cell in line] for line in cells(linear_layout((3,)))] == [["0", "1", "2"]]


def test_leading_dimensions_are_chosen() -> None:
    layout = linear_layout((4, 8)).expand((2,))
    assert cells(layout, (1,))[0][0].text == "32"


def test_svg_is_xml_with_a_cell_for_each_element() -> None:
    layout = swizzles.matrix_swizzle(8, 64, 16)
    assert layout is not None
    root = ElementTree.fromstring(svg(layout, title="A < B"))
    spaced = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{spaced}rect")) == 8 * 64
    title = root.find(f"{spaced}title")
    assert title is not None
    assert title.text == "A < B"


def test_summaries() -> None:
    assert TILE is not None
    assert summary(TILE) == "16 x 8: 4 registers in 32 threads"
    assert summary(fully_replicated((4,), 32)) == "4: 4 registers in 32 threads, each element in 32"
    assert summary(swizzles.padded(16, 32, 16)) == "16 x 32: 632 elements of memory, 120 of them unused"
