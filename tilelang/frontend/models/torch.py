"""Functions of torch and NumPy that make arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.containers import is_open, is_sequence
from tilelang.frontend.models.registry import MODELS, model
from tilelang.frontend.models.shapes import elementwise, extent, is_axis, kind_of, matmul, shape_of
from tilelang.frontend.models.tensors import method
from tilelang.frontend.values import Class, Function, Jit, Model, Tensor
from tilelang.ir.dtype import DType, dtype
from tilelang.ir.unknown import UNKNOWN, Unknown

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator


_DTYPES = (
    "float16 float32 float64 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool float8_e4m3fn float8_e5m2 "
    "float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu"
)


for _name in _DTYPES.split():
    MODELS[f"torch.{_name}"] = dtype(_name)
    if "8_" not in _name and _name != "bfloat16":
        MODELS[f"numpy.{_name}"] = dtype(_name)


for _alias, _target in {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "float4_e2m1fn_x2": "float4_e2m1fnx2",
}.items():
    MODELS[f"torch.{_alias}"] = dtype(_target)


def _kind(ev: Evaluator, kwargs: dict[str, Any], default: str | None) -> DType | None:
    found = kwargs.get("dtype")
    if found is None:
        return dtype(default) if default is not None else None
    return kind_of(found)


def _constructor(library: str, default: str) -> Any:
    def run(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
        given = args
        if "size" in kwargs or "shape" in kwargs:
            given = [kwargs.get("size", kwargs.get("shape"))]
        if library == "numpy" and len(given) > 1:
            kwargs = {"dtype": given[1], **kwargs}
            given = given[:1]
        return Tensor(shape_of(ev, given), _kind(ev, kwargs, default), None, library)

    return run


for _name in ("empty", "zeros", "ones", "randn", "rand"):
    MODELS[f"torch.{_name}"] = Model(f"torch.{_name}", _constructor("torch", "float32"))


for _name in ("empty", "zeros", "ones"):
    MODELS[f"numpy.{_name}"] = Model(f"numpy.{_name}", _constructor("numpy", "float64"))


for _name in ("numpy.random.randn", "numpy.random.rand"):
    MODELS[_name] = Model(_name, _constructor("numpy", "float64"))


@model("torch.full", "numpy.full")
def full(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    size = args[:1] if args else [kwargs.get("size", UNKNOWN)]
    return Tensor(shape_of(ev, size), _kind(ev, kwargs, None), None, "torch")


@model("torch.randint")
def randint(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    sizes: list[Any] = [arg for arg in args if is_sequence(arg)] or [kwargs.get("size", UNKNOWN)]
    return Tensor(shape_of(ev, sizes[:1]), _kind(ev, kwargs, "int64"), None, "torch")


@model("torch.arange", "numpy.arange")
def arange(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    size = len(range(*args)) if 1 <= len(args) <= 3 and all(isinstance(a, int) for a in args) else None
    return Tensor((size,), _kind(ev, kwargs, "int64"), None, "torch")


@model("torch.eye")
def eye(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    n = args[0] if args and isinstance(args[0], int) else None
    return Tensor((n, n), _kind(ev, kwargs, "float32"))


@model("torch.randperm")
def randperm(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return Tensor((args[0] if args and isinstance(args[0], int) else None,), _kind(ev, kwargs, "int64"))


@model("torch.tensor", "torch.as_tensor", "numpy.array", "torch.from_numpy")
def tensor(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    data = args[0] if args else UNKNOWN
    if isinstance(data, Tensor):
        return Tensor(data.shape, _kind(ev, kwargs, None) or data.dtype, data.strides, "torch")
    shape: list[int] = []
    while is_sequence(data) and not is_open(data):
        shape.append(len(data))
        data = data[0] if data else 0
    kind = _kind(ev, kwargs, None)
    if kind is None:
        kind = dtype("float32") if isinstance(data, float) else dtype("int64") if isinstance(data, int) else None
    return Tensor(None if isinstance(data, (Unknown, list)) else tuple(shape), kind)


@model(
    "torch.empty_like", "torch.zeros_like", "torch.ones_like", "torch.randn_like", "torch.rand_like", "torch.full_like"
)
def like(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], Tensor):
        return Tensor(args[0].shape, _kind(ev, kwargs, None) or args[0].dtype, None, args[0].library)
    return Tensor()


@model("torch.empty_strided")
def empty_strided(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return Tensor(shape_of(ev, args[:1]), _kind(ev, kwargs, "float32"), shape_of(ev, args[1:2]))


@model("torch.matmul", "torch.mm", "torch.bmm", "numpy.matmul")
def matmul_(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return matmul(args[0], args[1]) if len(args) > 1 else Tensor()


@model("torch.cat", "torch.concat", "torch.concatenate")
def cat(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    items = args[0] if args and is_sequence(args[0]) else ()
    dim = args[1] if len(args) > 1 else kwargs.get("dim", 0)
    tensors = [item for item in items if isinstance(item, Tensor)]
    if not tensors or len(tensors) != len(items):
        return Tensor()
    kind = tensors[0].dtype
    shapes = [t.shape for t in tensors if t.shape is not None]
    rank = len(shapes[0]) if shapes else 0
    if len(shapes) != len(tensors) or any(len(shape) != rank for shape in shapes) or not is_axis(dim, rank):
        return Tensor(None, kind)
    sizes = [extent(shape[dim]) for shape in shapes]
    known = [size for size in sizes if size is not None]
    joined = list(shapes[0])
    joined[dim] = sum(known) if len(known) == len(sizes) else None
    return Tensor(tuple(joined), kind)


@model("torch.stack")
def stack(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    items = args[0] if args and is_sequence(args[0]) else ()
    dim = args[1] if len(args) > 1 else kwargs.get("dim", 0)
    first = items[0] if items else None
    if not isinstance(first, Tensor) or first.shape is None or not is_axis(dim, len(first.shape) + 1):
        return Tensor()
    at = dim if dim >= 0 else len(first.shape) + 1 + dim
    return Tensor((*first.shape[:at], len(items), *first.shape[at:]), first.dtype)


@model("torch.Tensor.apply", "torch.where")
def where(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return (
        elementwise(args[1], args[2]) if len(args) > 2 and any(isinstance(a, Tensor) for a in args[1:3]) else Tensor()
    )


_METHODS = (
    "abs exp exp2 log log2 sqrt rsqrt sigmoid tanh relu softmax sum mean amax amin max min argmax cumsum transpose "
    "reshape squeeze unsqueeze flatten permute topk sort gather repeat_interleave sort_ clamp triu tril flip round "
    "floor ceil"
)
"""Methods of tensors that are functions of the package, too."""


def _method_model(name: str) -> Model:
    def run(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
        if not args or not isinstance(args[0], Tensor):
            return UNKNOWN
        return method(ev, args[0], name, args.of(*args[1:]), kwargs)

    return Model(f"torch.{name}", run)


MODELS.update({f"torch.{name}": _method_model(name) for name in _METHODS.split()})


@model(
    "torch.nn.functional.silu",
    "torch.nn.functional.relu",
    "torch.nn.functional.gelu",
    "torch.nn.functional.softmax",
    "torch.nn.functional.normalize",
)
def pointwise(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return Tensor(args[0].shape, args[0].dtype) if args and isinstance(args[0], Tensor) else Tensor()


@model("torch.nn.Parameter", "torch.nn.parameter.Parameter", "torch.ascontiguousarray", "numpy.ascontiguousarray")
def same(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return args[0] if args else Tensor()


@model("torch.einsum")
def einsum(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """Sizes by letter; an ellipsis or a repeated output is not followed."""
    text = args[0].replace(" ", "") if args and isinstance(args[0], str) else ""
    operands = [arg for arg in args[1:] if isinstance(arg, Tensor)]
    if "->" not in text or "." in text:
        return Tensor()
    inputs, output = text.split("->", 1)
    sizes: dict[str, Any] = {}
    for letters, operand in zip(inputs.split(","), operands, strict=False):
        if operand.shape is None or len(operand.shape) != len(letters):
            return Tensor()
        sizes.update(zip(letters, operand.shape, strict=True))
    kind = operands[0].dtype if operands else None
    return Tensor(tuple(sizes.get(letter) for letter in output), kind)


@model("torch.nn.functional.pad")
def pad(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    widths = args[1] if len(args) > 1 else kwargs.get("pad")
    tensor = args[0] if args else None
    if not isinstance(tensor, Tensor) or tensor.shape is None or not is_sequence(widths):
        return Tensor()
    amounts = [width if isinstance(width, int) else None for width in widths]
    shape = list(tensor.shape)
    for position in range(len(amounts) // 2):
        low, high, at = amounts[2 * position], amounts[2 * position + 1], len(shape) - 1 - position
        if at < 0:
            return Tensor()
        size = shape[at]
        shape[at] = size + low + high if isinstance(size, int) and low is not None and high is not None else None
    return Tensor(tuple(shape), tensor.dtype)


@model("torch.maximum", "torch.minimum", "torch.add", "torch.mul", "torch.sub", "torch.div", "torch.pow")
def pairwise(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return elementwise(args[0], args[1]) if len(args) > 1 and any(isinstance(a, Tensor) for a in args[:2]) else Tensor()


@model("torch.autograd.backward", "torch.autograd.grad")
def autograd(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    from tilelang.frontend.calls import call

    outputs = args[0] if args else kwargs.get("outputs")
    for output in outputs if is_sequence(outputs) else (outputs,):
        if isinstance(output, Tensor) and output.backward is not None:
            call(ev, output.backward, (Tensor(output.shape, output.dtype),), {}, args.span)
    return UNKNOWN


@model("torch.compile", "torch.no_grad", "torch.inference_mode", "torch.jit.script", "torch.enable_grad")
def transparent(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    """Decorators that leave the function as it is; also context managers."""
    if args and isinstance(args[0], (Function, Jit, Class)):
        return args[0]
    return Model("decorator", lambda ev, inner, kw: inner[0] if inner else UNKNOWN)


@model("torch.finfo", "torch.iinfo")
def finfo(ev: Evaluator, args: Args, kwargs: dict[str, Any]) -> Any:
    return UNKNOWN
