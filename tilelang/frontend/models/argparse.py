"""``argparse``: what an empty command line gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import DictVal, ListVal
from tilelang.frontend.models.registry import model
from tilelang.frontend.values import Class, Model, Object
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator
    from tilelang.frontend.values import ModelFunction


_PARSER = Class("ArgumentParser", (), {}, external_base=True)

_NAMESPACE = Class("Namespace", (), {}, external_base=True)


@model("argparse.ArgumentParser")
def argument_parser(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    defaults = DictVal()
    return Object(_PARSER, {"_defaults": defaults, **_parser_methods(defaults)})


def _parser_methods(defaults: DictVal) -> dict[str, Any]:
    def add(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
        add_argument(ev, defaults, args, kwargs)
        return None

    def group(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
        return Object(_PARSER, _parser_methods(defaults))

    def parse(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
        return Object(_NAMESPACE, dict(defaults))

    def parse_known(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
        return (Object(_NAMESPACE, dict(defaults)), ListVal())

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


def add_argument(ev: Evaluator, defaults: DictVal, args: Args, kwargs: dict[str, Any]) -> None:
    """Remember the default that ``parse_args`` of an empty command line gives."""
    flags = [arg for arg in args if isinstance(arg, str)]
    if not flags:
        return
    long = next((flag for flag in flags if flag.startswith("--")), flags[0])
    dest = kwargs.get("dest") or long.lstrip("-").replace("-", "_")
    action = kwargs.get("action")
    if "default" in kwargs:
        value = kwargs["default"]
        kind = kwargs.get("type")
        if isinstance(value, str) and kind is not None:
            from tilelang.frontend.calls import call

            value = call(ev, kind, (value,), {}, args.span)
    elif action in ("store_true", "store_false"):
        value = action == "store_false"
    elif long.startswith("-"):
        value = None
    else:
        value = UNKNOWN
    if isinstance(dest, str):
        ev.heap.writing(defaults)
        defaults[dest] = value


@model("argparse.Namespace", "types.SimpleNamespace")
def namespace(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return Object(_NAMESPACE, dict(kwargs))
