"""Options of ``jit``, ``compile`` and ``lower``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import is_dict, is_open, is_sequence
from tilelang.frontend.instance import JitOptions
from tilelang.frontend.values import External, Object

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.ir.span import Span


def jit_options(args: Args, kwargs: dict[str, Any], span: Span) -> JitOptions:
    """The options of ``jit``, ``compile`` and ``lower`` as far as they are known."""
    return JitOptions(
        _out_idx(kwargs.get("out_idx")),
        args.span_of("out_idx"),
        target_name(kwargs.get("target")),
        pass_configs(kwargs.get("pass_configs")),
        span,
    )


def _out_idx(value: Any) -> tuple[int, ...] | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return (value,)
    if is_sequence(value) and not is_open(value) and all(isinstance(entry, int) for entry in value):
        return tuple(value)
    return None


def target_name(value: Any) -> str | None:
    """A target as the text that names it: a string, or the arch of a dict or of a target object."""
    if isinstance(value, str):
        return str(value)
    if is_dict(value):
        arch, kind = value.get("arch") or value.get("mcpu"), value.get("kind")
        return arch if isinstance(arch, str) else kind if isinstance(kind, str) else None
    if isinstance(value, Object):
        return value.attrs.get("_target")
    return None


def pass_configs(value: Any) -> tuple[tuple[str, object], ...]:
    """Pass configs by key name, in a fixed order."""
    from tilelang.frontend.recorder import plain

    if not is_dict(value):
        return ()
    return tuple(sorted((_config_key(key), plain(entry)) for key, entry in value.items()))


def _config_key(key: Any) -> str:
    if isinstance(key, External):
        return key.name.rsplit(".", 1)[-1]
    return str(getattr(key, "value", key))
