"""Expressions on known values give what Python gives."""

from __future__ import annotations

import pytest
from frontend.harness import check_value

from tilelang.frontend.signals import UserError
from tilelang.ir.unknown import UNKNOWN

PLAIN = [
    "1 + 2 * 3 - 4 // 3 % 2",
    "7 / 2",
    "2 ** 10, 2 ** -1, -2 ** 2",
    "1 << 4 | 3 & 2 ^ 1, ~5, -3 >> 1",
    "[1] + [2] * 2, (1,) + (2,), 'a' * 3 + 'b'",
    "1 < 2 <= 2 != 3",
    "1 < 2 > 3",
    "not [] and not 0 or 5",
    "0 or '' or [] or None",
    "1 if [] else 2",
    "3 in [1, 2, 3], 'b' in 'abc', 4 not in {1, 2}, 'k' in {'k': 1}",
    "[1, 2, 3, 4][1:-1], (1, 2, 3)[::-1], 'abc'[-1], range(10)[2:5]",
    "{'a': 1, **{'b': 2}}",
    "[*range(3), *(7, 8)]",
    "[x * y for x in range(3) for y in range(x) if x != y]",
    "{k: v for k, v in zip('ab', [1, 2]) if v > 1}",
    "{x % 2 for x in range(5)}",
    "sorted(x for x in (3, 1, 2))",
    "f'{5:04d}-{\"a\"!r}-{1.5:.2f}-{7}'",
    "'%d %s' % (1, 'a'), '{}-{:>3}-{n}'.format(1, 2, n=3)",
    "(lambda a, b=2, *c, d=4, **e: (a, b, c, d, e))(1, 5, 6, x=7)",
    "[n for n in [1, 2, 3, 4] if (half := n // 2) > 1]",
    "len('abc'), sum([1, 2], 3), max(1, 3, 2), min([3, 1], key=lambda x: -x), abs(-3), round(2.567, 1)",
    "list(map(lambda x, y: x + y, [1, 2], [3, 4])), list(filter(None, [0, 1]))",
    "any([0, 1]), all([]), list(enumerate('ab', 1)), list(reversed([1, 2]))",
    "int('ff', 16), int(2.7), float('1.5'), str(5), bool([]), divmod(7, 2), pow(2, 3)",
    "'a-b'.replace('-', '_').upper().split('_'), ' x '.strip(), '-'.join(['1', '2'])",
    "sorted([3, 1, 2], key=lambda x: -x, reverse=True)",
    "[1, 2, 1].count(1), [5, 6].index(6), (1, 2).index(2)",
    "isinstance(1, int), isinstance(True, int), isinstance('a', (int, str)), isinstance([], list)",
    "{1, 2} | {3}, {1, 2} & {2}, {1, 2} - {2}, {1} <= {1, 2}",
    "{'a': 1} | {'b': 2}",
    "dict([('a', 1)], b=2), tuple([1]), list('ab'), set([1, 1])",
]


@pytest.mark.parametrize("expression", PLAIN)
def test_plain_expressions(expression: str) -> None:
    assert check_value(expression) == eval(expression)


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("[1, 2][5]", "IndexError"),
        ("{}['a']", "KeyError"),
        ("1 / 0", "ZeroDivisionError"),
        ("1 + 'a'", "TypeError"),
        ("int('x')", "ValueError"),
        ("[].index(3)", "ValueError"),
        ("[].pop()", "IndexError"),
        ("'a' < 1", "TypeError"),
        ("(lambda a: a)()", "TypeError"),
        ("(lambda a: a)(1, 2)", "TypeError"),
        ("(lambda a: a)(1, b=2)", "TypeError"),
        ("(lambda a: a)(1, a=2)", "TypeError"),
    ],
)
def test_exceptions_of_expressions(expression: str, name: str) -> None:
    with pytest.raises(UserError) as raised:
        check_value(expression)
    assert raised.value.name == name


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("flag + 1", UNKNOWN),
        ("(flag + 1, 1)", (UNKNOWN, 1)),
        ("False and flag, True or flag", (False, True)),
        ("1 if flag else 2", UNKNOWN),
        ("1 if flag else 1", 1),
        ("(1, 2) if flag else (1, 3)", (1, UNKNOWN)),
        ("flag == flag", True),
        ("flag < 1", UNKNOWN),
        ("[x for x in items]", []),
        ("len([x for x in items])", UNKNOWN),
        ("len([x for x in [1, 2] if flag])", UNKNOWN),
        ("f'{flag}'", UNKNOWN),
        ("max(1, flag)", UNKNOWN),
        ("{1: 2}[flag]", UNKNOWN),
        ("[1, 2][flag]", UNKNOWN),
        ("not flag", UNKNOWN),
        ("3 in [1, flag]", UNKNOWN),
        ("1 in [1, flag]", True),
        ("missing_name", UNKNOWN),
        ("flag.attribute.other(1)", UNKNOWN),
    ],
)
def test_what_is_unknown_stays_unknown(expression: str, expected: object) -> None:
    value = check_value(expression)
    unknown = expected is UNKNOWN
    assert (type(value).__name__ in ("Unknown", "External")) is unknown
    assert unknown or value == expected


def test_lists_in_lists_keep_their_identity() -> None:
    assert check_value("x, y", "x = [[1], [2]]\ny = x[0]\nx[0].append(5)\n") == ([[1, 5], [2]], [1, 5])


def test_slices_are_copies() -> None:
    assert check_value("x, y", "x = [1, 2]\ny = x[:]\ny.append(3)\n") == ([1, 2], [1, 2, 3])


def test_sets_are_iterated_in_a_fixed_order() -> None:
    assert check_value("list({'b', 'a', 3, 1.5})") == check_value("list({1.5, 3, 'a', 'b'})")


def test_formatting_with_unknown_parts_is_unknown() -> None:
    assert check_value("'%s' % flag") is UNKNOWN
    assert check_value("'{}'.format(flag)") is UNKNOWN
