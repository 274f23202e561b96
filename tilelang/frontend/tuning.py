"""``@tilelang.autotune``: one instance for each entry of the config list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import DictVal, is_dict
from tilelang.frontend.instance import TuneEntry
from tilelang.frontend.iteration import materialize
from tilelang.frontend.recorder import plain
from tilelang.frontend.signals import Exhausted, UserError
from tilelang.frontend.values import MISSING
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.frontend.arguments import Arguments
    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.instance import Origin
    from tilelang.frontend.values import Function, Jit
    from tilelang.ir.span import Span

_RESERVED = frozenset(("pass_configs", "__pass_configs"))
"""Keys of an entry that the tuner takes itself."""


def tune(
    ev: Evaluator,
    jit: Jit,
    bound: dict[str, Any],
    spans: dict[str, Span],
    extra: dict[str, Any],
    arguments: Arguments,
    span: Span,
    origin: Origin,
) -> Any:
    """Build every entry of the tuner's list for one call; the kernel of the first that builds is the result."""
    from tilelang.frontend.jit import build

    assert jit.tuner is not None
    function: Function = jit.function
    configs = config_list(ev, jit, arguments, span)
    if configs is None:
        ev.trace("the list of configs is not known", jit.tuner.span)
        return _without_configs(ev, jit, bound, spans, extra, span, origin)
    if not configs:
        if not jit.tuner.reported:
            ev.problem("autotune-empty-space", jit.tuner.span, function=function.name)
        return UNKNOWN
    result: Any = UNKNOWN
    parameters = [arg.arg for arg in (*function.node.args.args, *function.node.args.kwonlyargs)]
    for index, config in enumerate(configs):
        ev.step()
        if not is_dict(config):
            continue
        entries = {key: value for key, value in config.items() if isinstance(key, str)}
        where = config.span if isinstance(config, DictVal) and config.span is not None else jit.tuner.configs_span
        value_spans = config.spans if isinstance(config, DictVal) else {}
        unknown_key = next((key for key in entries if key not in parameters and key not in _RESERVED), None)
        if unknown_key is not None and function.node.args.kwarg is None:
            ev.problem(
                "autotune-unknown-key",
                (config.key_spans if isinstance(config, DictVal) else value_spans).get(unknown_key, where),
                key=unknown_key,
                function=function.name,
                parameters=tuple(parameters),
            )
            return UNKNOWN
        merged = dict(bound)
        merged_spans = dict(spans)
        for key, value in entries.items():
            if key in parameters and key not in spans:
                merged[key] = value
                merged_spans[key] = value_spans.get(key, where)
        if any(value is MISSING for value in merged.values()) and not extra:
            from tilelang.frontend.eager import is_eager

            if not is_eager(function):
                continue
        values = tuple((key, plain(value)) for key, value in entries.items())
        entry = TuneEntry(index, len(configs), values, where, jit.tuner.span)
        try:
            built = build(ev, jit, merged, merged_spans, extra, span, entry=entry, origin=origin)
        except UserError as error:
            ev.trace(f"the tuner drops entry {index}: {error.name}: {error.message}", where)
            continue
        if isinstance(result, Unknown):
            result = built
    return result


def _without_configs(
    ev: Evaluator,
    jit: Jit,
    bound: dict[str, Any],
    spans: Mapping[str, Span],
    extra: dict[str, Any],
    span: Span,
    origin: Origin,
) -> Any:
    """Without a list of configs, the call is still followed: its defaults are possible values, and a default of
    ``None`` stands for what the tuner fills in."""
    from tilelang.frontend.eager import is_eager
    from tilelang.frontend.jit import build

    if any(value is MISSING for value in bound.values()) and not is_eager(jit.function):
        return UNKNOWN
    filled = {name: UNKNOWN if value is None and name not in spans else value for name, value in bound.items()}
    with ev.under_unknown_condition():
        return build(ev, jit, filled, spans, extra, span, origin=origin)


def config_list(ev: Evaluator, jit: Jit, arguments: Arguments, span: Span) -> list[Any] | None:
    """The entries of the tuner, calling the config function if it is one; ``None`` if they are not known."""
    from tilelang.frontend.calls import call

    assert jit.tuner is not None
    configs = jit.tuner.configs
    if isinstance(configs, (list, tuple)):
        return materialize(ev, configs)
    if is_dict(configs):
        return product_of(ev, configs)
    if isinstance(configs, Unknown):
        return None
    try:
        ev.listing_configs = True
        made = call(ev, configs, arguments.args, arguments.kwargs, span, arguments)
    except (UserError, Exhausted) as error:
        ev.trace(f"the config function failed: {error}", jit.tuner.span)
        return None
    finally:
        ev.listing_configs = False
    if is_dict(made):
        return product_of(ev, made)
    return materialize(ev, made) if isinstance(made, (list, tuple)) else None


def product_of(ev: Evaluator, space: dict[Any, Any]) -> list[Any] | None:
    """A space given as ``{name: [values]}``: its product, if it is small enough to list."""
    from itertools import product

    from tilelang.frontend.recorder import MAX_PER_KERNEL

    columns: list[list[Any]] = []
    size = 1
    for values in space.values():
        column = materialize(ev, values) if isinstance(values, (list, tuple, range)) else [values]
        if column is None:
            return None
        columns.append(column)
        size *= len(column)
    if size > MAX_PER_KERNEL * 10:
        return None
    return [DictVal(zip(space, combo, strict=True)) for combo in product(*columns)]
