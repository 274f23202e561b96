"""``argparse``: what an empty command line gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import DictVal, ListVal
from tilelang.frontend.iteration import materialize
from tilelang.frontend.models.registry import model
from tilelang.frontend.values import Class, Model, Object
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.values import ModelFunction
    from tilelang.ir.span import Span


_PARSER = Class("ArgumentParser", (), {}, external_base=True)
_NAMESPACE = Class("Namespace", (), {}, external_base=True)


@model("argparse.ArgumentParser")
def argument_parser(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return Object(_PARSER, _parser_methods(DictVal(), DictVal()))


def _parser_methods(defaults: DictVal, options: DictVal) -> dict[str, Any]:
    """``defaults``: destination -> value without arguments. ``options``: flag -> (destination, action, type)."""

    def add(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
        _add_argument(ev, defaults, options, args, kwargs)
        return None

    def group(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
        return Object(_PARSER, _parser_methods(defaults, options))

    def parse(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
        words = args[0] if args else kwargs.get("args")
        return Object(_NAMESPACE, {**defaults, **_given(ev, defaults, options, words, args.span)})

    def parse_known(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
        rest = ListVal()
        rest.open = bool(args or kwargs)
        return (parse(ev, args, kwargs), rest)

    def set_defaults(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
        ev.heap.writing(defaults)
        defaults.update(kwargs)
        return None

    table: dict[str, ModelFunction] = {
        "add_argument": add,
        "add_argument_group": group,
        "add_mutually_exclusive_group": group,
        "parse_args": parse,
        "parse_known_args": parse_known,
        "set_defaults": set_defaults,
        "print_help": lambda ev, args, kwargs: None,
    }
    return {name: Model(f"ArgumentParser.{name}", function) for name, function in table.items()}


def _add_argument(ev: Evaluator, defaults: DictVal, options: DictVal, args: Args, kwargs: dict[str, Any]) -> None:
    flags = [arg for arg in args if isinstance(arg, str)]
    if not flags:
        return
    long = next((flag for flag in flags if flag.startswith("--")), flags[0])
    dest = kwargs.get("dest") or long.lstrip("-").replace("-", "_")
    action, kind = kwargs.get("action"), kwargs.get("type")
    if "default" in kwargs:
        value = _converted(ev, kwargs["default"], kind, args.span)
    elif action in ("store_true", "store_false"):
        value = action == "store_false"
    elif long.startswith("-"):
        value = None
    else:
        value = UNKNOWN
    if isinstance(dest, str):
        ev.heap.writing(defaults)
        defaults[dest] = value
        ev.heap.writing(options)
        options.update({flag: (dest, action, kind, kwargs.get("nargs")) for flag in flags})


def _converted(ev: Evaluator, value: Any, kind: Any, span: Span) -> Any:
    """A word of the command line, or a default that is given as one."""
    if not isinstance(value, str) or kind is None:
        return value
    from tilelang.frontend.calls import call

    return call(ev, kind, (value,), {}, span)


def _given(ev: Evaluator, defaults: DictVal, options: DictVal, words: Any, span: Span) -> dict[str, Any]:
    """What a list of words sets. Without one the program reads its command line, which is taken to be empty."""
    if words is None or isinstance(words, Unknown):
        return {}
    items = materialize(ev, words)
    if items is None or not all(isinstance(item, str) for item in items):
        return dict.fromkeys(defaults, UNKNOWN)
    found: dict[str, Any] = {}
    for position, word in enumerate(items):
        flag, equals, text = word.partition("=")
        if flag not in options:
            continue
        dest, action, kind, count = options[flag]
        if action in ("store_true", "store_false"):
            found[dest] = action == "store_true"
        elif action is not None or count is not None:
            found[dest] = UNKNOWN
        else:
            following = items[position + 1] if position + 1 < len(items) else UNKNOWN
            found[dest] = _converted(ev, text if equals else following, kind, span)
    return found


@model("argparse.Namespace", "types.SimpleNamespace")
def namespace(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return Object(_NAMESPACE, dict(kwargs))
