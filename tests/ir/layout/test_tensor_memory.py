"""Tensor memory against the data path layouts of the PTX ISA (D: 128 rows; E, G: folded; F: half of the paths)."""

from __future__ import annotations

import pytest

from tilelang.ir.layout.tensor_memory import Atom, Operands, accumulator, operand, select_atom


@pytest.mark.parametrize(
    ("atom", "shape", "points"),
    [
        (Atom(128, 64, folded=False), (128, 64), {(0, 0): (0, 0), (127, 63): (127, 63)}),
        (Atom(128, 64, folded=False), (128, 128), {(5, 70): (5, 70)}),
        (Atom(128, 64, folded=False), (256, 64), {(130, 3): (2, 67)}),
        (Atom(64, 128, folded=True), (64, 128), {(0, 63): (0, 63), (0, 64): (64, 0), (63, 127): (127, 63)}),
        (Atom(32, 64, folded=True), (32, 64), {(31, 15): (31, 15), (0, 16): (32, 0), (31, 63): (127, 15)}),
        (Atom(64, 64, folded=False), (64, 64), {(15, 0): (15, 0), (16, 0): (32, 0), (63, 63): (111, 63)}),
        (Atom(64, 64, folded=False), (64, 128), {(0, 64): (16, 0), (63, 127): (127, 63)}),
        (Atom(64, 64, folded=False), (64, 256), {(0, 128): (0, 64), (0, 192): (16, 64)}),
    ],
)
def test_accumulators(atom: Atom, shape: tuple[int, ...], points: dict[tuple[int, ...], tuple[int, int]]) -> None:
    found = accumulator(shape, atom, 32)
    assert found is not None
    assert {index: found.at(index) for index in points} == points
    assert found.is_injective()


def test_stages_follow_each_other_in_columns() -> None:
    found = accumulator((2, 128, 256), Atom(128, 256, folded=False), 32)
    assert found is not None
    assert found.at((1, 7, 9)) == (7, 265)
    assert found.output_shape == (128, 512)


def test_a_half_takes_a_whole_column() -> None:
    found = accumulator((128, 64), Atom(128, 64, folded=False), 16)
    assert found is not None
    assert found.at((3, 5)) == (3, 10)


def test_with_a_in_tensor_memory_atoms_stay_apart() -> None:
    found = accumulator((64, 128), Atom(64, 64, folded=False), 32, interleaved=False)
    assert found is not None
    assert found.at((0, 64)) == (0, 64)
    a = operand((128, 64), 128, 16)
    assert a is not None
    assert a.at((9, 33)) == (9, 33)


def test_atoms_that_do_not_divide_the_tile() -> None:
    assert accumulator((96, 64), Atom(64, 64, folded=False), 32) is None
    assert accumulator((64,), Atom(64, 64, folded=False), 32) is None


@pytest.mark.parametrize(
    ("m", "n", "operands", "two_ctas", "stationary", "atom"),
    [
        (128, 256, "half", False, True, Atom(128, 256, folded=False)),
        (128, 40, "half", False, True, Atom(128, 40, folded=False)),
        (64, 128, "half", False, True, Atom(64, 128, folded=True)),
        (64, 96, "half", False, True, None),
        (64, 64, "half", False, False, None),
        (64, 96, "narrow", False, True, Atom(64, 96, folded=False)),
        (128, 128, "narrow", False, True, Atom(128, 128, folded=True)),
        (128, 128, "narrow", False, False, Atom(128, 128, folded=False)),
        (128, 40, "bytes", False, True, Atom(128, 8, folded=False)),
        (128, 24, "bytes", False, True, Atom(128, 24, folded=False)),
        (128, 256, "half", True, True, Atom(128, 256, folded=True)),
        (64, 256, "half", True, True, Atom(64, 256, folded=True)),
        (32, 64, "half", False, True, Atom(32, 64, folded=True)),
        (48, 64, "half", False, True, None),
    ],
)
def test_choice_of_the_atom(
    m: int, n: int, operands: Operands, two_ctas: bool, stationary: bool, atom: Atom | None
) -> None:
    assert select_atom(m, n, operands, two_ctas=two_ctas, stationary=stationary) == atom
