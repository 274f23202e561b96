"""A broken statement costs itself only: what is around it keeps its statements and their positions."""

from __future__ import annotations

import ast
import random
import re
import sys
from collections import Counter

import pytest

from tilelang.syntax import MISSING, Module, SourceText, parse_module

KERNEL = """\
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def matmul(M, N, K, block=128):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
    ):
        with T.Kernel(T.ceildiv(N, block), 8, threads=128) as (bx, by):
            A_s = T.alloc_shared((block, 32), "float16")
            C_l = T.alloc_fragment((block, block), "float32")
            T.clear(C_l)
            for k in T.Pipelined(K // 32, num_stages=3):
                T.copy(A[by * block, k * 32], A_s)
                if k > 2:
                    T.gemm(A_s, A_s, C_l)
                else:
                    T.clear(C_l)
            T.copy(C_l, B[by * block, bx * block])

    return main


kernel = matmul(1024, 1024, 1024)
"""


def parse(text: str) -> Module:
    return parse_module(SourceText.from_text("kernel.py", text))


def statements(module: Module) -> Counter[tuple[str, int, int]]:
    nodes = ast.walk(ast.Module(module.body, []))
    return Counter((ast.unparse(n).split("\n")[0], n.lineno, n.col_offset) for n in nodes if isinstance(n, ast.stmt))


def check_typing(old: str, new: str) -> Module:
    """Replace `old` on its one line of the kernel by `new`, which breaks it; every other statement must stay."""
    assert KERNEL.count(old) == 1
    assert old.count("\n") == new.count("\n")
    broken = KERNEL.replace(old, new)
    before, module = statements(parse(KERNEL)), parse(broken)
    line = KERNEL[: KERNEL.index(old)].count("\n") + 1
    lost = {statement for statement in before - statements(module) if statement[1] != line}
    assert not lost
    assert len(module.problems) == 1
    return module


def text_at(module: Module, line: int) -> str:
    nodes = [n for n in ast.walk(ast.Module(module.body, [])) if isinstance(n, ast.stmt) and n.lineno == line]
    return ast.unparse(nodes[0]).split("\n")[0]


def python_error(text: str) -> SyntaxError:
    with pytest.raises(SyntaxError) as caught:
        ast.parse(text)
    return caught.value


@pytest.mark.parametrize(
    ("old", "new", "line", "replacement"),
    [
        ("T.copy(A[by * block, k * 32], A_s)", "T.copy(A[", 17, "pass"),
        ("T.copy(A[by * block, k * 32], A_s)", "T.", 17, "pass"),
        ("T.copy(A[by * block, k * 32], A_s)", "T.copy(A[by, k], A_s", 17, "pass"),
        ("T.copy(A[by * block, k * 32], A_s)", "T.copy(A[by * block, k * 32] A_s)", 17, "pass"),
        ("T.clear(C_l)\n            for", "T.clear(C_l))\n            for", 15, "pass"),
        ("T.clear(C_l)\n            for", "T.clear(C_l]\n            for", 15, "pass"),
        ('T.alloc_shared((block, 32), "float16")', "", 13, f"A_s = {MISSING}"),
        ('T.alloc_shared((block, 32), "float16")', "T.alloc_shared(", 13, f"A_s = {MISSING}"),
        ('T.alloc_shared((block, 32), "float16")', "1; T.clear(", 13, "A_s = 1"),
        ('(block, 32), "float16")', '(block, 32), "float16)', 13, f"A_s = {MISSING}"),
        ("T.Pipelined(K // 32, num_stages=3):", "T.Pipelined(", 16, f"for k in {MISSING}:"),
        ("T.Pipelined(K // 32, num_stages=3):", "", 16, f"for k in {MISSING}:"),
        ("T.Pipelined(K // 32, num_stages=3):", "T.Pipelined(K // 32, num_stages=)", 16, f"for k in {MISSING}:"),
        ("num_stages=3):", "num_stages=3)", 16, "for k in T.Pipelined(K // 32, num_stages=3):"),
        ("num_stages=3):", "num_stages=3)::", 16, "for k in T.Pipelined(K // 32, num_stages=3):"),
        (" as (bx, by):", " as (bx, by)", 12, "with T.Kernel(T.ceildiv(N, block), 8, threads=128) as (bx, by):"),
        ("threads=128) as", "threads=) as", 12, f"with {MISSING} as (bx, by):"),
        ("T.Kernel(T.ceildiv(N, block), 8, threads=128) as (bx, by):", "T.Kernel(", 12, f"with {MISSING}:"),
        ("if k > 2:", "if k >:", 18, f"if {MISSING}:"),
        ("if k > 2:", "if", 18, f"if {MISSING}:"),
        ("if k > 2:", "fi k > 2:", 18, f"if {MISSING}:"),
        ("else:", "else", 20, ""),
        ("return main", "return main(", 24, f"return {MISSING}"),
        ("import tilelang.language as T", "import tilelang.language as", 2, "import tilelang.language"),
        ("kernel = matmul(1024, 1024, 1024)", "kernel = matmul(1024,", 27, f"kernel = {MISSING}"),
    ],
)
def test_half_typed_statements(old: str, new: str, line: int, replacement: str) -> None:
    module = check_typing(old, new)
    (problem,) = module.problems
    assert (problem.line, problem.message) == (line, python_error(module.source.text).msg)
    assert (line, line) in module.repaired
    if replacement:
        assert text_at(module, line) == replacement


LAST_PARAMETER = 'B: T.Tensor((K, N), "float16"),\n    ):'


@pytest.mark.parametrize(
    ("old", "new", "parameters"),
    [
        ('"float16"),\n    ):', '"float16"),\n    )', "A: T.Tensor((M, K), 'float16'), B: T.Tensor((K, N), 'float16')"),
        (LAST_PARAMETER, "B: T.Ten(\n    ):", "A: T.Tensor((M, K), 'float16'), B: T.Ten()"),
        (LAST_PARAMETER, "B: \n    ):", "A: T.Tensor((M, K), 'float16')"),
        (LAST_PARAMETER, "B: T.Tensor(\n", "A: T.Tensor((M, K), 'float16'), B: T.Tensor()"),
    ],
)
def test_half_typed_signatures_keep_their_parameters(old: str, new: str, parameters: str) -> None:
    module = parse(KERNEL.replace(old, new))
    assert len(module.problems) == 1
    functions = [n for n in ast.walk(ast.Module(module.body, [])) if isinstance(n, ast.FunctionDef)]
    assert [function.name for function in functions] == ["matmul", "main"]
    assert ast.unparse(functions[1].args) == parameters
    assert [type(n).__name__ for n in functions[1].body] == ["With"]


def test_a_broken_decorator_keeps_its_name() -> None:
    module = parse(KERNEL.replace("jit(out_idx=[-1])", "jit(out_idx=["))
    (problem,) = module.problems
    assert (problem.line, problem.message) == (5, "'[' was never closed")
    assert ast.unparse(module.body[2]).strip().split("\n")[0] == "@tilelang.jit"


def test_clean_files_are_parsed_as_by_python() -> None:
    module = parse(KERNEL)
    assert module.problems == module.repaired == ()
    expected = ast.parse(KERNEL)
    assert ast.dump(ast.Module(module.body, []), include_attributes=True) == ast.dump(expected, include_attributes=True)


BODILESS = "expected an indented block after"
UNINDENT = "unindent does not match any outer indentation level"
TABS = "inconsistent use of tabs and spaces in indentation"


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "meaning"),
    [
        ("for x in y:\nz = 1\n", 2, 0, f"{BODILESS} 'for' statement on line 1", "for x in y:\n    pass\nz = 1"),
        ("def f():\n\n\nx = 1\n", 4, 0, f"{BODILESS} function definition on line 1", "def f():\n    pass\nx = 1"),
        ("class A:\n", 1, 0, f"{BODILESS} class definition on line 1", "class A:\n    pass"),
        ("async def f():\nx\n", 2, 0, f"{BODILESS} function definition on line 1", "async def f():\n    pass\nx"),
        ("if a:\n    b\n      c\n      d\n    e\n", 3, 6, "unexpected indent", "if a:\n    b\n    c\n    d\n    e"),
        ("if a:\n    b\n   c\n    d\n", 3, 3, UNINDENT, "if a:\n    b\n    c\n    d"),
        ("if a:\n    b\n  elif c:\n    d\n", 3, 2, UNINDENT, "if a:\n    b\nelif c:\n    d"),
        ("if a:\n\tb\n        c\n", 3, 8, TABS, "if a:\n    b\n    c"),
        ("x = 1\nelse:\n    y\n", 2, 0, "'else' without the statement it belongs to", f"x = 1\nif {MISSING}:\n    y"),
        ("try:\n    x\ny = 1\n", 3, 0, "expected 'except' or 'finally' block", "if 1:\n    x\ny = 1"),
        ("if a:\n    b\nc\n    d\ne\n", 4, 4, "unexpected indent", "if a:\n    b\n    c\n    d\ne"),
        ("@f\nx = 1\n", 2, 0, "expected a function or class after the decorator", "pass\nx = 1"),
        (
            "match x:\n    y = 1\n",
            2,
            4,
            "expected 'case' in the body of 'match'",
            "match x:\n    case _:\n        pass",
        ),
    ],
)
def test_block_structure(text: str, line: int, column: int, message: str, meaning: str) -> None:
    module = parse(text)
    (problem,) = module.problems
    assert (problem.line, problem.column, problem.message) == (line, column, message)
    assert ast.unparse(ast.Module(module.body, [])) == meaning


@pytest.mark.parametrize(
    "text",
    [
        "x = (1,\n    y\n    z = 2\n)\n",
        "configs = \n    {'a': 1},\n    {'b': 2},\n]\nx = 1\n",
        "def f(a), b, c:\n    pass\n",
        "def f(a,\n      b)),\n      c):\n    return a\nx = 1\n",
        "print f'{x}'\n",
        "x = f'{a b}'\n",
        "s = '''abc\n",
        "@\ndef f(): pass\n",
        "x = 0777\n",
        "class A(\n    x = 1\n    def f(self): pass\n",
        "with open(a) as f, as g:\n    pass\n",
        "é = (ü\n",
        "if x:\n    y = 1 +\nz = 2\n",
        "x = 1\r\ny = (\r\nz = 2\r\n",
    ],
)
def test_one_problem_no_later_than_where_python_stops(text: str) -> None:
    module = parse(text)
    (problem,) = module.problems
    assert problem.kind == "syntax"
    assert problem.line <= (python_error(text).lineno or 0)
    assert 0 <= problem.column <= len(module.source.line_text(problem.line).encode())
    assert (problem.line, problem.column) <= (problem.end_line, problem.end_column)


@pytest.mark.parametrize(
    ("text", "version", "meaning"),
    [
        ("def f[T](x: T):\n    return x\n", (3, 12), "def f(x: T):\n    return x"),
        ("class A[T: (int, str)](B):\n    x = 1\n", (3, 12), "class A(B):\n    x = 1"),
        ("type X[T] = list[T]\nx = 1\n", (3, 12), f"X = {MISSING}\nx = 1"),
        ('x = f"{a[\'b\']} {c["d"]}"\nx = 1\n', (3, 12), f"x = {MISSING}\nx = 1"),
        ("try:\n    a\nexcept* B as b:\n    c\n", (3, 11), "try:\n    a\nexcept B as b:\n    c"),
    ],
)
def test_syntax_of_later_versions_is_no_error(text: str, version: tuple[int, int], meaning: str) -> None:
    module = parse(text)
    if sys.version_info >= version:
        assert module.problems == ()
    else:
        (problem,) = module.problems
        assert problem.kind == "limit"
        assert problem.message.startswith(f"syntax of Python {version[0]}.{version[1]}, not read by Python 3.")
        assert ast.unparse(ast.Module(module.body, [])) == meaning


def test_problems_have_byte_columns() -> None:
    (problem,) = parse("é = 'ü' x\n").problems
    assert (problem.line, problem.column) == (1, 10)


def test_columns_of_reindented_lines_are_those_of_the_text() -> None:
    module = parse("if a:\n    b = 1\n      é = (c,\n d)\n")
    (problem,) = module.problems
    assert problem.message == "unexpected indent"
    branch = module.body[0]
    assert isinstance(branch, ast.If)
    moved = branch.body[1]
    assert isinstance(moved, ast.Assign)
    assert (moved.lineno, moved.col_offset, moved.end_lineno, moved.end_col_offset) == (3, 6, 4, 3)
    assert isinstance(moved.value, ast.Tuple)
    assert [element.col_offset for element in moved.value.elts] == [12, 1]


def test_a_docstring_without_end_does_not_swallow_the_body() -> None:
    old = "        with T.Kernel"
    module = parse(KERNEL.replace(old, f'        """Multiply.\n{old}'))
    assert [problem.line for problem in module.problems] == [12]
    assert "with T.Kernel" in ast.unparse(ast.Module(module.body, []))


def test_prose_is_not_reported_as_code() -> None:
    text = 'def f():\n    """Add.\n    return 1\n\n\ndef g():\n    """One two.\n\n    a b\n    c d\n    e f\n    """\n'
    assert [(problem.line, problem.kind) for problem in parse(text).problems] == [(2, "syntax")]


def test_each_broken_place_is_reported_once() -> None:
    text = KERNEL.replace("T.copy(A[by * block, k * 32], A_s)", "T.copy(A[").replace("if k > 2:", "if k >:")
    text += "x = \n\n\ndef f(:\n    return 1\n\n\ny = (1,, 2)\n"
    assert [problem.line for problem in parse(text).problems] == [17, 18, 28, 31, 35]


def test_a_file_of_noise_is_given_up() -> None:
    module = parse("x = = 1\n" * 500)
    assert len(module.problems) == 101
    last = module.problems[-1]
    assert (last.line, last.kind) == (101, "limit")
    assert last.message == "more than 100 syntax errors, the rest of the file is not read"
    assert module.repaired[-1] == (101, 501)


def test_undecodable_bytes_are_one_problem() -> None:
    module = parse_module(SourceText.from_bytes("kernel.py", b"x = 1\ny = \xff\nz = 3\n"))
    assert [(problem.line, problem.kind) for problem in module.problems] == [(2, "encoding")]
    assert [n.lineno for n in module.body] == [1, 2, 3]


def test_null_bytes_are_one_problem() -> None:
    module = parse("x = 1\ny = '\0' # \0\nz = 3\n")
    assert [(problem.line, problem.kind) for problem in module.problems] == [(2, "encoding")]
    assert [n.lineno for n in module.body] == [1, 2, 3]


TOKEN = re.compile(r"\w+|[^\s\w]|\n *")


@pytest.mark.parametrize("seed", range(100))
def test_a_missing_token_is_one_problem(seed: int) -> None:
    chosen = random.Random(seed).choice(list(TOKEN.finditer(KERNEL)))
    text = KERNEL[: chosen.start()] + KERNEL[chosen.end() :]
    module = parse(text)
    try:
        ast.parse(text)
    except SyntaxError:
        assert len(module.problems) == 1
    else:
        assert module.problems == ()
    assert len(module.body) >= 3
