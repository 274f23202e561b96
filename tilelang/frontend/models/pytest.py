"""pytest: marks are kept on the functions; ``raises`` and skips change how code counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.models.registry import MODELS, model
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import Class, Function, Mark, Model
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
    from tilelang.frontend.values import External

    return External(args[0]) if args and isinstance(args[0], str) else UNKNOWN


@model("pytest.main")
def main(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return 0
