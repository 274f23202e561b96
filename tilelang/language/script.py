"""What remains of TVM script: blocks, branches and loops as ``with`` forms, and declarations of the function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.ir.builder import current
from tilelang.ir.unknown import Unknown
from tilelang.language.arith import operand
from tilelang.language.context import effect, here
from tilelang.language.frames import ScopeFrame

if TYPE_CHECKING:
    from tilelang.language.values import Value


def sblock(name: str = "", no_realize: bool = False) -> ScopeFrame:
    """A named block: ``with T.sblock("root"):``."""
    return ScopeFrame("sblock", (name,), span=here())


def reads(*buffer_slices: Any) -> None:
    """What the enclosing block reads."""
    effect("reads", attrs=(("regions", buffer_slices),))


def writes(*buffer_slices: Any) -> None:
    """What the enclosing block writes."""
    effect("writes", attrs=(("regions", buffer_slices),))


def where(predicate: Value) -> None:
    """The condition under which the enclosing block runs."""
    effect("where", attrs=(("predicate", predicate),))


def init() -> ScopeFrame:
    """The part of a block that runs before its reduction: ``with T.init():``."""
    return ScopeFrame("init", span=here())


def If(condition: Value) -> ScopeFrame:
    """A branch, around ``T.Then()`` and ``T.Else()``."""
    found = operand(condition)
    return ScopeFrame("If", () if isinstance(found, Unknown) else (found,), span=here())


def Then() -> ScopeFrame:
    """The part of ``T.If`` that runs if its condition holds."""
    return ScopeFrame("Then", span=here())


def Else() -> ScopeFrame:
    """The part of ``T.If`` that runs if its condition does not hold."""
    return ScopeFrame("Else", span=here())


def While(condition: Value) -> ScopeFrame:
    """A loop that runs while a condition holds: ``with T.While(x < 10):``."""
    found = operand(condition)
    return ScopeFrame("While", () if isinstance(found, Unknown) else (found,), span=here())


def Assert(condition: Value, message: Any, error_kind: str = "RuntimeError") -> ScopeFrame:
    """Stop the host function unless a condition holds."""
    return ScopeFrame("Assert", (condition, message), span=here())


def func_name(name: str) -> None:
    """The name of the function."""
    builder = current()
    if builder is not None:
        builder.func_attrs["global_symbol"] = name


def func_ret(ret_type: Any) -> Any:
    """The type of what the function returns."""
    return ret_type


def type_annotation(dtype: Any) -> Any:
    """A type as an argument of ``T.tvm_access_ptr``."""
    return dtype
