"""Values of the evaluated program.

Numbers, strings, tuples, ``None`` and ranges are the Python values themselves; IR nodes stand for values inside a
kernel. The classes here are for everything that has identity or behaviour of its own; containers are in
:mod:`tilelang.frontend.containers`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from tilelang.ir.span import NOWHERE, Span
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Sequence

    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.instance import CallLink, JitOptions
    from tilelang.ir.dtype import DType
    from tilelang.ir.problem import Problem
    from tilelang.ir.program import Program

    ModelFunction = Callable[[Evaluator, Args, dict[str, Any]], Any]


@dataclass(slots=True, eq=False, repr=False)
class Module:
    """A module of the project: parsed, and evaluated on first use."""

    name: str
    path: str
    vars: dict[str, Any] = field(default_factory=dict[str, Any])
    state: str = "new"
    optional: bool = False
    """Whether its tests are skipped where a package is missing."""
    deleted: set[str] = field(default_factory=set[str])
    """Names that ``del`` has removed."""


@dataclass(frozen=True, slots=True)
class External:
    """Something of a package that is not part of the project, by its dotted name (``torch.randn``)."""

    name: str

    def member(self, attribute: str) -> External:
        return External(f"{self.name}.{attribute}")


@dataclass(slots=True, eq=False, repr=False)
class Scope:
    """The names that a function sees: its own, then those of the enclosing functions, then the module's."""

    module: Module
    vars: dict[str, Any]
    parent: Scope | None = None
    function: Function | None = None
    globals_declared: frozenset[str] = frozenset()
    nonlocals_declared: frozenset[str] = frozenset()
    is_class: bool = False
    kernel: bool = False
    """Whether statements build tile IR (body of a prim_func, a macro or an eager kernel)."""
    arg_spans: dict[str, Span] = field(default_factory=dict[str, Span])
    """Where the caller wrote the value of each parameter."""
    pending: list[Any] = field(default_factory=list[Any])
    """Values that a ``return`` under an unknown condition may already have returned."""
    rebound: dict[str, Span] = field(default_factory=dict[str, Span])
    """Names rebound under a run-time condition; using one afterwards is an error."""
    open_frames: list[Any] = field(default_factory=list[Any])
    """Frames entered by assignment (``bx = T.Kernel(...)``), closed at the end of the function."""
    on_yield: Callable[[Any], None] | None = None
    """Who gets what the generator yields; ``None`` in other functions."""
    via: Span | None = None
    bound: dict[str, Any] = field(default_factory=dict[str, Any])
    """The arguments of the call, as they came."""


@dataclass(slots=True, eq=False, repr=False)
class Function:
    """A ``def`` or ``lambda``. Defaults are evaluated at definition, as in Python."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    name: str
    defaults: tuple[Any, ...] = ()
    kw_defaults: dict[str, Any] = field(default_factory=dict[str, Any])
    attrs: dict[str, Any] = field(default_factory=dict[str, Any])
    marks: tuple[Mark, ...] = ()
    owner: Class | None = None
    is_generator: bool = False

    def __repr__(self) -> str:
        # Short: values are printed inside the IR, and a function holds on to everything around it.
        return f"<function {self.name} at {self.path}:{getattr(self.node, 'lineno', 0)}>"

    @property
    def path(self) -> str:
        """The file that defines the function."""
        return self.scope.module.path

    def default_values(self) -> dict[str, Any]:
        """Defaults by parameter name, those that the program has set later included."""
        names = [arg.arg for arg in (*self.node.args.posonlyargs, *self.node.args.args)]
        defaults = self.attrs.get("__defaults__", self.defaults)
        if defaults is None:
            defaults = ()
        if not isinstance(defaults, tuple) or len(cast("tuple[Any, ...]", defaults)) > len(names):
            defaults = (UNKNOWN,) * len(names)
        given = cast("tuple[Any, ...]", defaults)
        keywords = self.attrs.get("__kwdefaults__", self.kw_defaults)
        if not isinstance(keywords, dict):
            keywords = {} if keywords is None else {arg.arg: UNKNOWN for arg in self.node.args.kwonlyargs}
        first = len(names) - len(given)
        return {**dict(zip(names[first:], given, strict=True)), **cast("dict[str, Any]", keywords)}

    @property
    def needs_arguments(self) -> bool:
        """Whether some parameter has no default."""
        spec = self.node.args
        positional = len(spec.posonlyargs) + len(spec.args)
        if self.attrs:
            return len(self.default_values()) < positional + len(spec.kwonlyargs)
        return len(self.defaults) < positional or len(self.kw_defaults) < len(spec.kwonlyargs)


@dataclass(frozen=True, slots=True)
class Mark:
    """A decorator that says something without changing the function (``pytest.mark.parametrize``, ``requires_*``)."""

    name: str
    args: tuple[Any, ...] = ()
    kwargs: tuple[tuple[str, Any], ...] = ()
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a dataclass or named tuple. ``default`` is ``MISSING`` if there is none. ``stored``: objects keep it,
    unlike an ``InitVar``. ``keyword``: it is given by its name only."""

    name: str
    default: Any
    stored: bool = True
    keyword: bool = False


_ATTRIBUTE_HOOKS = frozenset(("__delattr__", "__getattribute__", "__setattr__"))
_VALUE_ENUMS = frozenset(("IntEnum", "IntFlag", "StrEnum", "int", "str"))


@dataclass(slots=True, eq=False, repr=False)
class Class:
    """A class of the program. ``kind``: ``plain``, ``dataclass``, ``enum``, ``namedtuple``, ``typeddict`` or
    ``exception``."""

    name: str
    bases: tuple[Any, ...]
    vars: dict[str, Any]
    kind: str = "plain"
    fields: tuple[Field, ...] = ()
    """Fields of a dataclass or namedtuple, those of its bases included."""
    written: tuple[Field, ...] = ()
    """What the class itself annotates."""
    external_base: bool = False
    """A base class is not part of the project, so attributes may exist that are not seen."""
    mro: tuple[Class, ...] = field(init=False)
    """The class and its bases in the order in which attributes are looked up."""
    meta: Class | None = None
    """A metaclass of the program."""
    hooked: bool = field(init=False)
    """Whether the class says itself what reading or writing an attribute does."""

    def __post_init__(self) -> None:
        self.mro = (self, *_linearized([base for base in self.bases if isinstance(base, Class)]))
        self.hooked = any(not cls.vars.keys().isdisjoint(_ATTRIBUTE_HOOKS) for cls in self.mro)
        if self.meta is None:
            self.meta = next((cls.meta for cls in self.mro[1:] if cls.meta is not None), None)

    def lookup(self, name: str) -> Any:
        """The class attribute ``name``, or ``MISSING``."""
        for cls in self.mro:
            if name in cls.vars:
                return cls.vars[name]
        return MISSING

    def is_value_enum(self) -> bool:
        """Whether the members of an enum are numbers or strings themselves (``IntEnum``, ``StrEnum``)."""
        names = (getattr(base, "name", getattr(base, "__name__", "")) for cls in self.mro for base in cls.bases)
        return any(name.rsplit(".", 1)[-1] in _VALUE_ENUMS for name in names)

    def is_subclass(self, other: Class) -> bool:
        return other in self.mro

    def has_external_base(self) -> bool:
        return any(cls.external_base for cls in self.mro)


def _linearized(bases: list[Class]) -> tuple[Class, ...]:
    """The C3 linearization of some base classes, as Python makes it; in the order of the lists where there is none."""
    if len(bases) < 2:
        return bases[0].mro if bases else ()
    orders: list[Sequence[Class]] = [*(base.mro for base in bases), bases]
    lists: list[list[Class]] = [list(order)[::-1] for order in orders]  # the next class stands last
    behind = Counter(cls for each in lists for cls in each[:-1])
    found: list[Class] = []
    while lists:
        head = next((each[-1] for each in lists if not behind[each[-1]]), lists[0][-1])
        found.append(head)
        for each in lists:
            if each[-1] is head:
                each.pop()
                if each:
                    behind[each[-1]] -= 1
            elif behind[head] and head in each:  # there is no consistent order
                each.remove(head)
                behind[head] -= 1
        lists = [each for each in lists if each]
    return tuple(found)


@dataclass(slots=True, eq=False, repr=False)
class Object:
    """An instance of a class of the program."""

    cls: Class
    attrs: dict[str, Any] = field(default_factory=dict[str, Any])


def _not_started() -> dict[str, Any]:
    return {"started": False, "items": (), "next": 0, "effects": ()}


@dataclass(slots=True, eq=False, repr=False)
class Generator:
    """A generator or another lazy iterator. ``run`` evaluates it and hands each item to its argument. ``state``:
    whether it has ``started``; the ``items`` that it has, if they are not handed out while it runs; the ``next``
    one of them; and what it changes on the way to each."""

    run: Callable[[Callable[[Any], None]], Any]
    state: dict[str, Any] = field(default_factory=_not_started)


@dataclass(frozen=True, slots=True, eq=False)
class ContextFactory:
    """A function under ``contextlib.contextmanager``: calls make context managers."""

    function: Any


@dataclass(frozen=True, slots=True, eq=False)
class GeneratedContext:
    """A context manager that a generator makes: its ``with`` block runs at the ``yield``."""

    generator: Generator


@dataclass(frozen=True, slots=True, eq=False)
class BoundMethod:
    function: Any
    receiver: Any


@dataclass(frozen=True, slots=True, eq=False)
class Property:
    getter: Any
    setter: Any = None
    deleter: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class CachedProperty:
    """``functools.cached_property``: the first access stores the value on the object."""

    function: Any


@dataclass(frozen=True, slots=True, eq=False)
class StaticMethod:
    function: Any


@dataclass(frozen=True, slots=True, eq=False)
class ClassMethod:
    function: Any


@dataclass(frozen=True, slots=True, eq=False)
class Super:
    cls: Class
    receiver: Any


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """``functools.partial``."""

    function: Any
    args: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...]
    arg_spans: tuple[Span, ...] = ()
    kwarg_spans: tuple[tuple[str, Span], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A model of an external callable: ``call(evaluator, args, kwargs)`` with evaluated arguments."""

    name: str
    call: ModelFunction


@dataclass(slots=True, eq=False)
class Tensor:
    """A torch or NumPy array: shape (``None`` entries unknown, ``None`` if even the rank is), strides and dtype."""

    shape: tuple[Any, ...] | None = None
    dtype: DType | None = None
    strides: tuple[Any, ...] | None = None
    library: str = "torch"
    backward: Any = None
    """What ``backward`` of this tensor calls: the gradient of the ``autograd.Function`` that made it."""

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)


@dataclass(slots=True, eq=False, repr=False)
class Macro:
    """A ``@T.macro``."""

    function: Function


@dataclass(slots=True, eq=False, repr=False)
class PrimFunc:
    """An elaborated ``@T.prim_func``."""

    program: Program
    function: Function
    problems: tuple[Problem, ...]
    closure: dict[str, Any]
    chain: tuple[CallLink, ...]
    span: Span
    maker: tuple[Function, dict[str, Any]] | None = None
    """The function that made it and that function's arguments: what a re-evaluation starts from."""
    arg_spans: dict[str, Span] = field(default_factory=dict[str, Span])
    certain: bool = True
    consumed: bool = False


@dataclass(slots=True, eq=False, repr=False)
class Jit:
    """A ``@tilelang.jit`` function, lazy or eager."""

    function: Any
    options: JitOptions
    tuner: Tuner | None = None
    called: bool = False


@dataclass(slots=True, eq=False, repr=False)
class Tuner:
    """``@tilelang.autotune``: the configs as given, a list or a callable."""

    configs: Any
    span: Span
    configs_span: Span
    reported: bool = False
    """An empty list was reported where it is written, so calls do not report it again."""


@dataclass(slots=True, eq=False, repr=False)
class Kernel:
    """A compiled kernel handle, the result of a jit factory or ``tilelang.compile``."""

    program: Program | None
    options: JitOptions


DEFINITIONS = (Class, External, Function, Jit, Macro, Model, Module, PrimFunc)
"""What code that is not followed hardly ever replaces under its name."""


class _Missing:
    __slots__ = ()

    def __repr__(self) -> str:
        return "<missing>"


MISSING = _Missing()
