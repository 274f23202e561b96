"""What checking one file yields: plain records, without IR, so that they can be cached, sent and printed.

The reports, the language server and the tests work on these only. They are named tuples since those import four times
faster than dataclasses, which counts where a cached result is all that a run needs.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from tilelang.diagnostics import Diagnostic, Edit, Fix, Note, Severity
from tilelang.ir.span import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.frontend.instance import TensorArg

Verdict = Literal["ok", "error", "unknown"]
"""``ok``: fits and has no error; ``error``: over the budget, or an error-level finding; ``unknown``: no rule found an
error, but the bytes depend on values that are not known."""

MAX_VALUE_TEXT = 40

GUESSED = ("symbolic", "default")
"""Origins of instances that no call makes."""

_TOP_LEVEL = re.compile(rb"^(?:async[ \t]+def|def|class)[ \t]+([A-Za-z_]\w*)", re.MULTILINE)

Plain = object
"""None, bool, int, float, str, or a list or string-keyed dict of those."""


class BufferUse(NamedTuple):
    """The share of one array in the shared memory of a block. ``kind`` tells what the kernel allocates from what the
    compiler adds. ``bytes`` counts all ``copies``; None if it is not known. ``line`` is 0 for what has no place."""

    name: str
    kind: str
    bytes: int | None
    copies: int
    path: str
    line: int


class StatementResult(NamedTuple):
    """A statement of a kernel, as the IR printer shows it."""

    text: str
    path: str
    line: int


class BufferLayout(NamedTuple):
    """Where the elements of one tile are. The maps are Python expressions over the names in ``axes``, one for each
    dimension, and ``rep``, which counts the ``copies`` of an element from 0.

    A tile in memory has ``thread`` None, and ``places`` is the index in an array of ``extents``. A fragment is held by
    ``threads`` threads of the block from ``first_thread`` on; ``thread`` counts from there, and ``places`` is the
    register in an array of ``extents``. ``swizzle``: bytes over which a standard swizzle goes, 0 for other layouts.
    ``asked``: the statement that the layout is for; ``source``: the tile from which the layout followed in it.
    ``reduced``: each copy is a part of the result, as a reducer has them.
    """

    name: str
    scope: str
    dtype: str
    shape: tuple[int, ...]
    axes: tuple[str, ...]
    thread: str | None
    places: tuple[str, ...]
    extents: tuple[int, ...]
    copies: int
    first_thread: int
    threads: int
    swizzle: int
    path: str
    line: int
    asked: StatementResult | None
    source: str | None
    reduced: bool = False


class LoopLayout(NamedTuple):
    """How the iterations of a parallel statement, a written loop or a tile operation, are spread over threads. The maps
    are like those of :class:`BufferLayout`; ``places`` is the round in which a thread runs the iteration."""

    statement: StatementResult
    shape: tuple[int, ...]
    axes: tuple[str, ...]
    thread: str
    places: tuple[str, ...]
    extents: tuple[int, ...]
    copies: int
    first_thread: int
    threads: int


class ConflictResult(NamedTuple):
    """Why no complete set of layouts exists; ``reason`` is a word of :data:`tilelang.passes.layouts.result.Reason`."""

    reason: str
    buffer: str
    statement: StatementResult | None
    other: str | None
    certain: bool


class LayoutsResult(NamedTuple):
    """The layouts of one launch. ``unknown``: tiles about which nothing is said, since something that concerns them
    could not be followed."""

    buffers: tuple[BufferLayout, ...]
    loops: tuple[LoopLayout, ...]
    unknown: tuple[str, ...] = ()
    conflict: ConflictResult | None = None


class CompiledResult(NamedTuple):
    """What the assembler says of one launch. ``state``: ``ok``, or ``failed`` with the reason among the findings. Bytes
    of spills and stack are a thread's, of shared memory a block's; None where the target has no such figure."""

    state: Literal["ok", "failed"]
    registers: int | None = None
    spill_stores: int | None = None
    spill_loads: int | None = None
    stack: int | None = None
    dynamic_bytes: int | None = None
    static_bytes: int | None = None


class TargetResult(NamedTuple):
    """One launch on one target. ``arch`` is the canonical name, ``label`` what messages call it. ``threads`` counts
    those of a block, with the producers that the compiler adds. Bytes are those of one block: ``dynamic_bytes`` and
    ``static_bytes`` add up to ``shared_bytes``; None means not known. ``errors`` are the rules that found an error,
    before suppressions and levels. ``layouts`` and ``compiled``: only if the settings ask for them."""

    arch: str
    label: str
    threads: int | None
    shared_bytes: int | None
    dynamic_bytes: int | None
    static_bytes: int | None
    shared_limit: int | None
    buffers: tuple[BufferUse, ...]
    registers: int | None
    blocks_per_sm: int | None
    limiter: str
    verdict: Verdict
    errors: tuple[str, ...] = ()
    layouts: LayoutsResult | None = None
    compiled: CompiledResult | None = None


class CallResult(NamedTuple):
    """One call on the way to an instance."""

    function: str
    path: str
    line: int


class InstanceResult(NamedTuple):
    """One launch of one instance. ``bindings`` are plain values, None where unknown; ``launch`` counts the launches of
    the program from 0; an extent of ``grid`` or ``threads`` is a number or the text of an expression."""

    path: str
    kernel: str
    line: int
    factory: str
    factory_line: int
    style: str
    origin: str
    launch: int
    bindings: Mapping[str, Plain]
    closure: Mapping[str, Plain]
    chain: tuple[CallResult, ...]
    certain: bool
    expected_failure: bool
    grid: tuple[int | str, ...]
    threads: tuple[int | str, ...]
    targets: tuple[TargetResult, ...]


class KernelResult(NamedTuple):
    """How far one kernel definition was followed; see ``KernelStatus``."""

    name: str
    path: str
    line: int
    state: Literal["checked", "partly", "unchecked"]
    instances: int
    certain: int
    reason: str = ""


class TraceResult(NamedTuple):
    """Why a call did not become an instance, or a value became unknown."""

    message: str
    span: Span


class Failure(NamedTuple):
    """The file could not be checked. ``internal`` tells a bug of this program from a file that cannot be read;
    ``detail`` is the traceback, which only ``--debug`` shows."""

    message: str
    internal: bool = True
    detail: str = ""


class FileReport(NamedTuple):
    """All that is known about one file. ``assumed_target`` is the label of the target that was taken because nothing
    names one; ``targets`` are the chosen ones as (arch, label). ``dependencies`` are the files that were read.
    ``timings`` are seconds by step, if they were asked for."""

    path: str
    findings: tuple[Diagnostic, ...] = ()
    instances: tuple[InstanceResult, ...] = ()
    kernels: tuple[KernelResult, ...] = ()
    traces: tuple[TraceResult, ...] = ()
    uses_tilelang: bool = False
    assumed_target: str = ""
    targets: tuple[tuple[str, str], ...] = ()
    dependencies: tuple[str, ...] = ()
    failure: Failure | None = None
    timings: tuple[tuple[str, float], ...] = ()


def words_of(report: FileReport, data: bytes) -> list[str]:
    """What a new file that changes this report by calling one of its kernels would have to mention. Callers elsewhere
    count only for kernels that their own file does not call, and nothing imports a notebook."""
    if report.path.endswith(".ipynb"):
        return []
    called = {
        (it.path, it.line)
        for it in report.instances
        if it.origin not in GUESSED and it.chain and all(link.path == report.path for link in it.chain)
    }
    uncalled = [it.line for it in report.kernels if it.path == report.path and (it.path, it.line) not in called]
    if not uncalled:
        return []
    starts = [(data.count(b"\n", 0, it.start()) + 1, it[1].decode()) for it in _TOP_LEVEL.finditer(data)]
    names = {PurePath(report.path).stem}
    for line in uncalled:
        # The function or class that the kernel is in, or the kernel itself.
        names.update([name for start, name in starts if start <= line][-1:])
    return sorted(name for name in names if name.isidentifier())


# --- to and from JSON, for the cache and for worker processes ---------------------------------------------------------

_RECORDS: dict[str, type] = {
    record.__name__: record
    for record in (
        BufferLayout,
        BufferUse,
        CallResult,
        CompiledResult,
        ConflictResult,
        Diagnostic,
        Edit,
        Failure,
        FileReport,
        Fix,
        InstanceResult,
        KernelResult,
        LayoutsResult,
        LoopLayout,
        Note,
        Span,
        StatementResult,
        TargetResult,
        TraceResult,
    )
}
_TAG = "@"
_FIELDS: dict[str, tuple[str, ...]] = {
    name: getattr(record, "_fields", None) or tuple(cast("Any", record).__dataclass_fields__)
    for name, record in _RECORDS.items()
}


def encode(value: object) -> Plain:
    """A record as JSON data. Tuples become lists."""
    name = type(value).__name__
    if name in _FIELDS:
        return {_TAG: [name, *(encode(getattr(value, item)) for item in _FIELDS[name])]}
    if isinstance(value, Severity):
        return {_TAG: ["Severity", int(value)]}
    if isinstance(value, (list, tuple)):
        return [encode(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        return {str(key): encode(item) for key, item in cast("dict[object, object]", value).items()}
    return value


def decode(value: object) -> object:
    """What :func:`encode` was given, lists as tuples. Raises ``ValueError``, ``TypeError``, ``KeyError`` or
    ``IndexError`` on data that :func:`encode` did not write."""
    if isinstance(value, list):
        return tuple(decode(item) for item in cast("list[object]", value))
    if not isinstance(value, dict):
        return value
    table = cast("dict[str, object]", value)
    if _TAG not in table:
        return {key: decode(item) for key, item in table.items()}
    name, *values = cast("list[object]", table[_TAG])
    if name == "Severity":
        return Severity(cast("int", values[0]))
    return _RECORDS[cast("str", name)](*(decode(item) for item in values))


def plain(value: object) -> Plain:
    """A Python value as JSON data: numbers, strings and booleans as they are, dtypes by name, tensors as shape and
    dtype, and None for what has no such form."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in cast("list[object]", value)]
    if isinstance(value, (set, frozenset)):
        return [plain(item) for item in sorted(cast("set[object]", value), key=repr)]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in cast("dict[object, object]", value).items()}
    if type(value).__name__ == "TensorArg":
        tensor = cast("TensorArg", value)
        return {"shape": plain(tensor.shape), "dtype": plain(tensor.dtype)}
    return None


def value_text(value: Plain) -> str:
    """A plain value as short text: ``128``, ``float16``, ``float16[1024, 64]``, ``?`` where unknown."""
    if value is None:
        return "?"
    if isinstance(value, (list, tuple)):
        text = f"[{', '.join(value_text(item) for item in cast('list[Plain]', value))}]"
    elif isinstance(value, dict):
        table = cast("dict[str, Plain]", value)
        text = f"{value_text(table.get('dtype'))}{value_text(table.get('shape'))}" if "shape" in table else "{…}"
    else:
        text = str(value)
    return text if len(text) <= MAX_VALUE_TEXT else f"{text[: MAX_VALUE_TEXT - 1]}…"
