"""pytest: marks are kept on the functions; ``raises`` and skips change how code counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.models.registry import MODELS, model
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import Class, Function, Mark, Model, Object
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


def _mark(name: str) -> Model:
    def run(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
        if len(args) == 1 and isinstance(args[0], (Function, Class)) and not kwargs:
            mark = Mark(name, (), (), args.span)
            if isinstance(args[0], Function):
                args[0].marks = (*args[0].marks, mark)
            else:
                args[0].vars["__marks__"] = (*args[0].vars.get("__marks__", ()), mark)
            return args[0]
        return Mark(name, tuple(args), tuple(kwargs.items()), args.span)

    return Model(name, run)


for _name in ("parametrize", "skip", "skipif", "xfail", "slow", "usefixtures", "gpu", "filterwarnings", "timeout"):
    MODELS[f"pytest.mark.{_name}"] = _mark(_name)
MODELS["pytest.fixture"] = _mark("fixture")
for _name in ("skip", "skipIf", "skipUnless", "expectedFailure"):
    MODELS[f"unittest.{_name}"] = _mark({"expectedFailure": "xfail", "skip": "skip"}.get(_name, "skipif"))


@model("pytest.raises", "pytest.warns", "unittest.TestCase.assertRaises")
def raises(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if len(args) > 1:
        from tilelang.frontend.calls import call

        ev.expected_failure += 1
        try:
            call(ev, args[1], args[2:], kwargs, args.span)
        except UserError:
            return UNKNOWN
        finally:
            ev.expected_failure -= 1
        return UNKNOWN
    return Mark("raises", tuple(args), (), args.span)


@model("pytest.param")
def param(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return Mark("param", tuple(args), tuple(kwargs.items()), args.span)


@model("pytest.skip", "pytest.fail", "pytest.exit", "pytest.xfail")
def stop(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    raise UserError("Skipped", "", args.span)


@model("pytest.importorskip")
def importorskip(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """The test is skipped where the module is missing, so what follows runs only possibly."""
    from tilelang.frontend.modules import is_present

    name, scope = args[0] if args else UNKNOWN, args.scope
    if not isinstance(name, str) or scope is None:
        ev.in_doubt = True
        return UNKNOWN
    if not is_present(ev, name, scope.module.path):
        ev.in_doubt = True
        scope.module.optional = scope.module.optional or scope.parent is None
    return ev.modules.resolve(ev, name, scope.module)


_MONKEYPATCH = Class("MonkeyPatch", (), {}, external_base=True)


def monkeypatch(ev: Evaluator) -> Object:
    """The fixture of that name. Who hands it out puts back what it changes."""
    methods = {"setattr": _set_attribute, "delattr": _delete_attribute, "setitem": _set_item, "setenv": _set_variable}
    made = Object(_MONKEYPATCH)
    made.attrs.update({name: Model(f"monkeypatch.{name}", run) for name, run in methods.items()})
    return made


def _set_attribute(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> None:
    from tilelang.frontend.attributes import set_

    if len(args) == 2 and isinstance(args[0], str) and "." in args[0] and args.scope is not None:
        place, name = str(args[0]).rsplit(".", 1)
        set_(ev, ev.modules.resolve(ev, place, args.scope.module), name, args[1], args.span)
    elif len(args) >= 3 and isinstance(args[1], str):
        set_(ev, args[0], args[1], args[2], args.span)


def _delete_attribute(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> None:
    from tilelang.frontend.attributes import delete

    if len(args) >= 2 and isinstance(args[1], str):
        delete(ev, args[0], args[1], args.span)


def _set_item(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> None:
    from tilelang.frontend.subscripts import store_item

    if len(args) == 3:
        store_item(ev, args[0], args[1], args[2], args.span)


def _set_variable(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> None:
    if len(args) >= 2 and isinstance(args[0], str) and isinstance(args[1], str):
        ev.heap.writing(ev.environment)
        ev.environment[args[0]] = args[1]


@model("pytest.main")
def main(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return 0
