"""Random small kernels, each with one thing that may be wrong: the order of iterations, threads or blocks, or an index.

A kernel is made from a seed and belongs to a class; some of each class are right. Sizes are small enough to run every
thread of every block.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

THREADS = 96
SIZE = 64

HEAD = "import tilelang\nimport tilelang.language as T\n\n\n"
PARAMS = 'X: T.Tensor((64,), "int32"), X2: T.Tensor((16, 16), "int32"), Y: T.Tensor((64,), "int32")'
OFF = '{"tl.disable_thread_storage_sync": True}'


@dataclass(frozen=True)
class Sample:
    """One kernel. ``automatic``: the compiler inserts barriers."""

    name: str
    kind: str
    text: str
    automatic: bool = True


def sample(seed: int, number: int) -> Sample:
    """The kernel of a seed; ``number`` makes its name unique in a file."""
    rng = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    name = f"k{number}"
    grid, threads, lines, automatic = FAMILIES[kind](rng)
    blocks = "bx, by" if "," in grid else "bx"
    body = [
        f"with T.Kernel({grid}, threads={threads}) as ({blocks}):"
        if "," in grid
        else f"with T.Kernel({grid}, threads={threads}) as {blocks}:",
        '    s = T.alloc_shared((64,), "int32")',
        '    d = T.alloc_shared((16, 16), "int32")',
        "    tx = T.get_thread_binding()",
        *(f"    {line}" for line in lines),
    ]
    function = ["@T.prim_func", f"def {name}({PARAMS}):", *(f"    {line}" for line in body)]
    if automatic:
        return Sample(name, kind, "\n".join(function) + "\n\n\n")
    wrapped = [
        f"@tilelang.jit(pass_configs={OFF})",
        f"def make_{name}():",
        *(f"    {line}" for line in function),
        "",
        f"    return {name}",
        "",
        "",
        f"make_{name}()",
    ]
    return Sample(name, kind, "\n".join(wrapped) + "\n\n\n", automatic=False)


Made = tuple[str, int, list[str], bool]


def _index(rng: random.Random, names: list[str], extents: list[int], limit: int) -> str:
    """An index over some of the variables, usually inside of ``limit``."""
    first = rng.choice(names)
    extent = extents[names.index(first)]
    if len(names) > 1 and rng.random() < 0.6:
        other = rng.choice([name for name in names if name != first])
        step = rng.choice([1, 2, 4, 8, extents[names.index(other)]])
        text = f"{first} * {step} + {other}"
        return text if rng.random() < 0.6 else f"({text}) % {limit}"
    choices = [
        first,
        first,
        f"{first} + {rng.randrange(3)}",
        f"{extent - 1} - {first}",
        f"{first} // {rng.choice([2, 4])}",
        f"{first} % {rng.choice([4, 8, extent])}",
        f"({first} + {rng.randrange(1, 5)}) % {rng.choice([extent, limit])}",
        f"{first} * 2",
        str(rng.randrange(4)),
        f"{first} ^ 1",
    ]
    return rng.choice(choices)


def _value(rng: random.Random, names: list[str], extents: list[int]) -> str:
    return rng.choice(
        [
            f"X[{_index(rng, names, extents, SIZE)}]",
            f"X[{_index(rng, names, extents, SIZE)}] * 2 + 1",
            "1",
            f"{rng.choice(names)} + 1",
            f"{rng.choice(names)} // 2 + 1",
            f"T.if_then_else({rng.choice(names)} < 3, X[{rng.choice(names)}], 7)",
        ]
    )


def _guard(rng: random.Random, names: list[str], extents: list[int]) -> str:
    name = rng.choice(names)
    extent = extents[names.index(name)]
    return rng.choice(
        [
            f"{name} < {rng.randrange(1, extent + 1)}",
            f"{name} % 2 == 0",
            f"{name} == {rng.randrange(extent)}",
            f"{name} >= {rng.randrange(extent)}",
        ]
    )


def _guarded(rng: random.Random, names: list[str], extents: list[int], line: str) -> list[str]:
    if rng.random() < 0.35:
        return [f"if {_guard(rng, names, extents)}:", f"    {line}"]
    return [line]


def _nest(rng: random.Random) -> tuple[str, list[str], list[int]]:
    if rng.random() < 0.5:
        extent = rng.choice([8, 16, 32, 64])
        return f"for i in T.Parallel({extent}):", ["i"], [extent]
    extents = [rng.choice([4, 8]), rng.choice([2, 4, 8])]
    return f"for i, j in T.Parallel({extents[0]}, {extents[1]}):", ["i", "j"], extents


def _target(rng: random.Random, names: list[str], extents: list[int]) -> str:
    if rng.random() < 0.25:
        return f"d[{_index(rng, names, extents, 16)}, {_index(rng, names, extents, 16)}]"
    buffer = rng.choice(["s", "Y"])
    return f"{buffer}[{_index(rng, names, extents, SIZE)}]"


END = ["T.copy(s, Y)", "for a, b in T.Parallel(16, 16):", "    X2[a, b] = d[a, b]"]


def parallel_store(rng: random.Random) -> Made:
    head, names, extents = _nest(rng)
    line = f"{_target(rng, names, extents)} = {_value(rng, names, extents)}"
    return "1", THREADS, [head, *_indent(_guarded(rng, names, extents, line)), *_ending(rng)], True


def parallel_update(rng: random.Random) -> Made:
    head, names, extents = _nest(rng)
    target, value = _target(rng, names, extents), _value(rng, names, extents)
    line = rng.choice(
        [
            f"{target} += {value}",
            f"{target} = T.max({target}, X[{_index(rng, names, extents, SIZE)}])",
            f"T.atomic_add({target}, {value})",
            f"{target} = {target} + {value}",
        ]
    )
    return "1", THREADS, [head, *_indent(_guarded(rng, names, extents, line)), *_ending(rng)], True


def parallel_stencil(rng: random.Random) -> Made:
    head, names, extents = _nest(rng)
    buffer = rng.choice(["s", "Y"])
    one, other = _index(rng, names, extents, SIZE), _index(rng, names, extents, SIZE)
    read = f"{buffer}[{other}]"
    if rng.random() < 0.3:
        read = f"T.if_then_else({_guard(rng, names, extents)}, {read}, 3)"
    line = f"{buffer}[{one}] = {read} + {rng.randrange(1, 4)}"
    return "1", THREADS, [head, *_indent(_guarded(rng, names, extents, line)), *_ending(rng)], True


def parallel_pair(rng: random.Random) -> Made:
    head, names, extents = _nest(rng)
    first = f"s[{_index(rng, names, extents, SIZE)}] = {_value(rng, names, extents)}"
    second = f"Y[{_index(rng, names, extents, SIZE)}] = s[{_index(rng, names, extents, SIZE)}]"
    if rng.random() < 0.3:
        second = f"s[{_index(rng, names, extents, SIZE)}] = {_value(rng, names, extents)}"
    lines = [*_guarded(rng, names, extents, first), *_guarded(rng, names, extents, second)]
    return "1", THREADS, [head, *_indent(lines), *_ending(rng)], True


def parallel_serial(rng: random.Random) -> Made:
    head, names, extents = _nest(rng)
    trips = rng.choice([2, 4])
    inner, sizes = [*names, "k"], [*extents, trips]
    target = f"{rng.choice(['s', 'Y'])}[{_index(rng, inner, sizes, SIZE)}]"
    line = rng.choice([f"{target} = {_value(rng, inner, sizes)}", f"{target} += {_value(rng, inner, sizes)}"])
    body = [f"for k in T.serial({trips}):", *_indent(_guarded(rng, inner, sizes, line))]
    return "1", THREADS, [head, *_indent(body), *_ending(rng)], True


def block_store(rng: random.Random) -> Made:
    grid, blocks, counts = rng.choice([("4", ["bx"], [4]), ("2, 3", ["bx", "by"], [2, 3])])
    tile = rng.choice([4, 8, 16])
    names, extents = [*blocks, "i"], [*counts, tile]
    start = rng.choice([f"bx * {rng.choice([tile, tile // 2])}", "bx", _index(rng, blocks, counts, 16)])
    kind = rng.randrange(3)
    if kind == 0:
        lines = [f"T.copy(X[({_index(rng, blocks, counts, 8)}) % 7 * 8], s)", f"T.copy(s[0:{tile}], Y[{start}])"]
        lines = [lines[0], *_guarded(rng, blocks, counts, lines[1])]
    else:
        target = f"Y[{start} + i]"
        value = _value(rng, names, extents)
        line = rng.choice([f"{target} = {value}", f"{target} += {value}", f"T.atomic_add({target}, {value})"])
        lines = [f"for i in T.Parallel({tile}):", *_indent(_guarded(rng, names, extents, line))]
    return grid, THREADS, lines, True


def _thread_lines(rng: random.Random) -> list[str]:
    names, extents = ["tx"], [THREADS]
    lines: list[str] = []
    for _ in range(rng.randrange(2, 5)):
        target = f"{rng.choice(['s', 's', 'Y'])}[({_index(rng, names, extents, SIZE)}) % 64]"
        value = rng.choice(
            [
                f"s[({_index(rng, names, extents, SIZE)}) % 64]",
                _value(rng, names, extents),
                f"Y[{rng.choice(['tx % 64', '63 - tx % 64'])}]",
            ]
        )
        line = rng.choice([f"{target} = {value}", f"{target} = {value}", f"{target} += {value}"])
        lines += _guarded(rng, names, extents, line)
        if rng.random() < 0.4:
            lines.append("T.sync_threads()")
    return lines


def threads_on(rng: random.Random) -> Made:
    return "1", THREADS, [*_thread_lines(rng), *_ending(rng)], True


def threads_off(rng: random.Random) -> Made:
    return "1", THREADS, [*_thread_lines(rng), "T.sync_threads()", *_ending(rng)], False


def threads_loop(rng: random.Random) -> Made:
    names, extents = ["tx", "k"], [THREADS, 4]
    one = f"s[({_index(rng, names, extents, SIZE)}) % 64]"
    two = f"s[({_index(rng, names, extents, SIZE)}) % 64]"
    body = [f"{one} = {_value(rng, ['tx', 'k'], extents)}"]
    if rng.random() < 0.5:
        body.append("T.sync_threads()")
    body.append(f"Y[(tx + k * 8) % 64] = {two}")
    if rng.random() < 0.5:
        body.append("T.sync_threads()")
    lines = [f"for k in T.serial({rng.choice([2, 3, 5])}):", *_indent(body), "T.sync_threads()", *_ending(rng)]
    return "1", THREADS, lines, rng.random() < 0.5


def uniform(rng: random.Random) -> Made:
    names, extents = ["k"], [4]
    target = f"{rng.choice(['s', 'Y'])}[{_index(rng, names, extents, SIZE)}]"
    line = rng.choice([f"{target} = {_value(rng, names, extents)}", f"{target} += 1", f"{target} = {target} * 2 + 1"])
    lines = [f"for k in T.serial({rng.choice([1, 3, 4])}):", *_indent(_guarded(rng, ["k"], extents, line))]
    if rng.random() < 0.3:
        lines = ["if tx == 0:", *_indent(lines)]
    return "1", rng.choice([32, THREADS]), [*lines, *_ending(rng)], True


def outside_index(rng: random.Random) -> Made:
    extent = rng.choice([15, 16, 17, 62, 64])
    names, extents = ["i", "k"], [extent, 4]
    loop = rng.choice([f"for i in T.serial({extent}):", f"for i in T.Parallel({extent}):"])
    index = rng.choice(
        [
            f"i + {rng.randrange(4)}",
            f"i * {rng.choice([1, 4])} + {rng.randrange(3)}",
            f"i - {rng.randrange(2)}",
            "i // 2 + 40",
            "(i * 5) % 67",
            f"{extent} - i",
        ]
    )
    target = rng.choice([f"s[{index}]", f"d[{index}, 0]", f"d[i // 4, ({index}) % 16]"])
    line = rng.choice([f"{target} = 1", f"Y[i] = T.if_then_else({_guard(rng, names[:1], extents[:1])}, {target}, 0)"])
    return "1", THREADS, [loop, *_indent(_guarded(rng, names[:1], extents[:1], line))], True


def outside_box(rng: random.Random) -> Made:
    trips, width = rng.choice([2, 3, 4, 5]), rng.choice([8, 16])
    start = rng.choice([f"k * {width}", f"k * {width} + {rng.randrange(3)}", f"(k % 2) * {width * 2}"])
    box = f"s[{start} : {start} + {width}]"
    line = rng.choice([f"T.fill({box}, 1)", f"T.copy(X[0:{width}], {box})", f"T.copy({box}, Y[0:{width}])"])
    return "1", THREADS, [f"for k in T.serial({trips}):", *_indent(_guarded(rng, ["k"], [trips], line))], True


def _indent(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _ending(rng: random.Random) -> list[str]:
    """What makes the contents of shared memory visible, without storing where the kernel stores."""
    return ["T.copy(s, X)", "T.copy(d, X2)"]


FAMILIES = {
    function.__name__.replace("_", "-"): function
    for function in (
        parallel_store,
        parallel_update,
        parallel_stencil,
        parallel_pair,
        parallel_serial,
        block_store,
        threads_on,
        threads_off,
        threads_loop,
        uniform,
        outside_index,
        outside_box,
    )
}
KINDS = tuple(FAMILIES)
