"""Element types.

A :class:`DType` is a ``str`` so that programs may compare it with a name, print it, or use it as a key,
as they do with upstream's dtypes.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import Any

_ALIASES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "int": "int32",
    "uint": "uint32",
    "long": "int64",
    "short": "int16",
    "char": "int8",
    "uchar": "uint8",
    "ushort": "uint16",
    "ulong": "uint64",
    "boolean": "bool",
    "bf16": "bfloat16",
    "fp16": "float16",
    "fp32": "float32",
    "fp64": "float64",
    "e4m3_float8": "float8_e4m3",
    "e5m2_float8": "float8_e5m2",
    "e4m3fn_float8": "float8_e4m3fn",
    "tfloat32": "tfloat32",
}

_PATTERN = re.compile(
    r"(?P<base>bfloat|tfloat|float|uint|int|bool|handle|void|custom\[[\w.]+\])"
    r"(?P<bits>\d+)?(?:_(?P<format>e\d+m\d+\w*?))?(?:x(?P<lanes>\d+))?$"
)
_UNPACKED = re.compile(r"(?:custom\[)?float4_e2m1(?:fn)?_unpacked\]?8?$")


class DType(str):
    """One element type, for example ``float16``, ``float8_e4m3fn``, ``int4`` or ``float16x4``.

    Attributes: ``kind`` (``float``, ``bfloat``, ``tfloat``, ``int``, ``uint``, ``bool``, ``handle``,
    ``void`` or ``custom``), ``bits`` of one lane, ``format`` of small floats (``e4m3fn``), ``lanes``.
    """

    kind: str
    bits: int
    format: str  # type: ignore[assignment]  # hides str.format: a type is never a template
    lanes: int

    def __new__(cls, name: object) -> DType:
        """The type named ``name``. Raises ``ValueError`` for a name that no version of the language has."""
        found = UNKNOWN_DTYPE if name == "unknown" else DType.parse(name)
        if found is None:
            raise ValueError(f"unknown dtype {name!r}")
        return found

    def __call__(self, value: object = None, *more: object) -> Any:
        """``value`` converted to this type, as an expression; several values make a vector, none an undefined one."""
        from tilelang.ir.expr import Call, Cast, Const, Expr, Var

        if more:
            return Call(self, "vector", (value, *more))
        if isinstance(value, Expr):
            return value if value.dtype == self else Cast(self, value)
        if isinstance(value, (int, float)):
            return Const(self, value)
        return Var(self, "undef", "unknown") if value is None else value

    @staticmethod
    def parse(name: object) -> DType | None:
        """The type that a spelling names, or ``None``. Accepts ``torch.float16`` style names."""
        if isinstance(name, DType):
            return name
        return _parse(name) if isinstance(name, str) else None

    @property
    def is_known(self) -> bool:
        """False for the type of a value that the evaluator could not follow."""
        return self.kind != "unknown"

    @property
    def is_float(self) -> bool:
        return self.kind in ("float", "bfloat", "tfloat") or "float" in self

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "uint")

    @property
    def is_signed(self) -> bool:
        return self.kind == "int"

    @property
    def is_fp8(self) -> bool:
        return self.kind == "float" and self.bits == 8

    @property
    def itemsize(self) -> int:
        """Bytes of one element on its own, at least 1."""
        return self.bytes_of(1)

    @property
    def bytes(self) -> int:
        """Another name of :attr:`itemsize`."""
        return self.itemsize

    def is_float4_e2m1fn(self) -> bool:
        """Whether this is the packed 4-bit float, two to a byte."""
        return self.kind == "float" and self.bits == 4

    def is_float4_e2m1_unpacked(self) -> bool:
        """Whether this is the 4-bit float stored in a byte of its own."""
        return self.kind == "custom" and "float4_e2m1_unpacked" in self

    def is_float4(self) -> bool:
        """Whether this is a 4-bit float, packed or not."""
        return self.is_float4_e2m1fn() or self.is_float4_e2m1_unpacked()

    def as_torch(self) -> Any:
        """PyTorch's type for elements of this type as they are stored: bytes for what it has no type for, ``int8`` for
        ``int4``. Raises ``TypeError`` for a type that no tensor of PyTorch can have."""
        # Looked up by name: what runs stands above the types, and a check needs neither.
        return import_module("tilelang.runtime.arrays").torch_storage(self)

    @property
    def is_bool(self) -> bool:
        return self.kind == "bool"

    @property
    def base(self) -> DType:
        """The type of one lane."""
        return dtype(self.rsplit("x", 1)[0]) if self.lanes > 1 else self

    @property
    def total_bits(self) -> int:
        return self.bits * self.lanes

    def bytes_of(self, elements: int) -> int:
        """Bytes that ``elements`` packed elements take. Sub-byte types share bytes."""
        return (elements * self.total_bits + 7) // 8

    def with_lanes(self, lanes: int) -> DType:
        return self.base if lanes == 1 else dtype(f"{self.base}x{lanes}")


@cache
def _parse(name: str) -> DType | None:
    spelling = name.removeprefix("torch.").removeprefix("T.")
    spelling = _ALIASES.get(spelling, spelling)
    if _UNPACKED.match(spelling):
        return _make("custom[float4_e2m1_unpacked]", "custom", 8, "e2m1", 1)
    match = _PATTERN.match(spelling)
    if match is None:
        return None
    kind, small = match["base"], match["format"] or ""
    lanes = int(match["lanes"] or 1)
    if kind == "bool":
        bits = 8
    elif kind in ("handle", "void"):
        bits = 64 if kind == "handle" else 0
    elif match["bits"]:
        bits = int(match["bits"])
    else:
        return None
    if kind in ("bool", "handle", "void") and match["bits"]:
        return None
    return _make(spelling, kind, bits, small, lanes)


def _make(name: str, kind: str, bits: int, small: str, lanes: int) -> DType:
    made = str.__new__(DType, name)
    made.kind, made.bits, made.format, made.lanes = kind, bits, small, lanes
    return made


def dtype(name: str) -> DType:
    """The type named ``name``. Raises ``ValueError`` for a name that no version of the language has."""
    found = DType.parse(name)
    if found is None:
        raise ValueError(f"unknown dtype {name!r}")
    return found


BOOL = dtype("bool")
INT32 = dtype("int32")
INT64 = dtype("int64")
FLOAT32 = dtype("float32")
HANDLE = dtype("handle")
VOID = dtype("void")
UNKNOWN_DTYPE = _make("unknown", "unknown", 0, "", 1)
