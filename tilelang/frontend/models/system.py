"""What programs ask their surroundings: ``os``, ``sys``; and names of ``typing``, ``enum`` and ``contextlib``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.models.registry import MODELS, model
from tilelang.frontend.signals import UserError
from tilelang.frontend.values import ContextFactory, External, Mark
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


@model("os.getenv", "os.environ.get")
def getenv(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """The environment is empty, apart from what the configuration sets."""
    default = args[1] if len(args) > 1 else kwargs.get("default")
    return ev.environment.get(args[0], default) if args and isinstance(args[0], str) else UNKNOWN


@model("os.path.join", "os.path.dirname", "os.path.basename", "os.path.abspath", "os.path.exists", "os.path.splitext")
def os_path(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return UNKNOWN


@model("sys.exit", "os._exit", "os.abort", "builtins.exit")
def sys_exit(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    raise UserError("SystemExit", "", args.span)


MODELS["os.environ"] = External("os.environ")

MODELS["sys.argv"] = UNKNOWN

MODELS["sys.maxsize"] = 2**63 - 1

MODELS["typing.TYPE_CHECKING"] = False


@model("typing.cast")
def typing_cast(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return args[1] if len(args) > 1 else UNKNOWN


AUTO = External("enum.auto()")


@model("enum.auto")
def enum_auto(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """A mark for the class statement, which knows the values before it."""
    return AUTO


@model("contextlib.contextmanager", "contextlib.asynccontextmanager")
def contextmanager(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return ContextFactory(args[0]) if args else UNKNOWN


@model("contextlib.nullcontext")
def nullcontext(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return Mark("nullcontext", (*args, *kwargs.values()), (), args.span)


@model("contextlib.suppress")
def suppress(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return Mark("suppress", tuple(args), (), args.span)
