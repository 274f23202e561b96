"""Calls of compiled kernels with tensors: what they return, and whether the tensors fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilelang.frontend.values import Kernel, Tensor
from tilelang.ir.buffer import Buffer
from tilelang.ir.expr import Var, const_int
from tilelang.ir.unknown import UNKNOWN

if TYPE_CHECKING:
    from tilelang.frontend.arguments import Args
    from tilelang.frontend.evaluator import Evaluator
    from tilelang.ir.program import Program
    from tilelang.ir.span import Span

_STRICT_DTYPES = frozenset(("float16", "bfloat16", "float32", "float64", "int32", "int64", "int16"))
"""Types whose tensors cannot stand for one another; smaller ones travel as bytes."""


def tensor_of(buffer: Buffer) -> Tensor:
    """The tensor that the host sees for a parameter."""
    return Tensor(tuple(const_int(extent) for extent in buffer.shape), buffer.dtype if buffer.dtype.is_known else None)


def outputs(program: Program) -> Any:
    """What calling an eager kernel returns: its ``T.empty`` tensors."""
    results = [tensor_of(buffer) for buffer in program.outputs]
    return None if not results else results[0] if len(results) == 1 else tuple(results)


def launch(ev: Evaluator, kernel: Kernel, args: Args, span: Span) -> Any:
    """Call a compiled kernel: check its tensors against the parameters, return its outputs."""
    program, out_idx = kernel.program, kernel.options.out_idx
    if program is None:
        return UNKNOWN
    params = list(program.params)
    if out_idx is None:
        if kernel.options.out_idx_span is None:
            _check_call(ev, program, params, args, span)
        return None if not program.outputs else outputs(program)
    chosen = {index % len(params) for index in out_idx if -len(params) <= index < len(params)} if params else set[int]()
    inputs = [param for position, param in enumerate(params) if position not in chosen]
    _check_call(ev, program, inputs, args, span)
    results = [params[position] for position in sorted(chosen)]
    tensors = [tensor_of(param) if isinstance(param, Buffer) else UNKNOWN for param in results]
    return tensors[0] if len(tensors) == 1 else tuple(tensors)


def _check_call(ev: Evaluator, program: Program, inputs: list[Any], args: Args, span: Span) -> None:
    """Check the arguments of a call against the inputs of the kernel."""
    wanted = [param for param in inputs if param not in program.outputs]
    arguments = args.arguments
    if len(args) == len(wanted):
        _check(ev, wanted, args, span)
    elif arguments is not None and not arguments.open and not arguments.kwargs and len(args) != len(inputs):
        ev.problem(
            "call-shape-mismatch",
            span,
            parameter=program.name,
            expected=f"{len(wanted)} argument{'s' if len(wanted) != 1 else ''}",
            got=str(len(args)),
            what="arguments",
            notes=(("the kernel is defined here", program.span),),
        )


def _check(ev: Evaluator, params: list[Any], args: Args, span: Span) -> None:
    sizes: dict[Var, tuple[int, str]] = {}
    for position, (param, value) in enumerate(zip(params, args, strict=False)):
        if not (isinstance(param, Buffer) and isinstance(value, Tensor)):
            continue
        where = span
        if args.arguments is not None and len(args.arguments.arg_spans) == len(args):
            where = args.arguments.arg_spans[position]
        compare_tensor(ev, param, value, where)
        sizes_given: tuple[Any, ...] = value.shape or ()
        for extent, size in zip(param.shape, sizes_given, strict=False):
            if not (isinstance(extent, Var) and extent.kind == "dim" and isinstance(size, int)):
                continue
            if param.dtype.bits < 8:
                continue
            known = sizes.setdefault(extent, (size, param.name))
            if known[0] != size:
                ev.problem(
                    "call-shape-mismatch",
                    where,
                    parameter=param.name,
                    expected=f"{extent.name} = {known[0]} (from {known[1]})",
                    got=f"{extent.name} = {size}",
                    notes=((f"{param.name} is declared here", param.span),),
                )


def compare_tensor(ev: Evaluator, param: Buffer, tensor: Tensor, where: Span) -> None:
    """Record ``call-shape-mismatch`` if a tensor certainly does not fit the annotation of its parameter."""
    if tensor.dtype is not None and param.dtype.is_known and tensor.dtype.is_known and tensor.dtype != param.dtype:
        if param.dtype in _STRICT_DTYPES and tensor.dtype in _STRICT_DTYPES:
            ev.problem(
                "call-shape-mismatch",
                where,
                parameter=param.name,
                expected=str(param.dtype),
                got=str(tensor.dtype),
                what="dtype",
                notes=((f"{param.name} is declared here", param.span),),
            )
        return
    if tensor.shape is None or param.dtype.bits < 8:
        return
    expected = tuple(const_int(extent) for extent in param.shape)
    differs = len(expected) != len(tensor.shape) or any(
        isinstance(have, int) and want is not None and want != have
        for want, have in zip(expected, tensor.shape, strict=False)
    )
    if differs:
        ev.problem(
            "call-shape-mismatch",
            where,
            parameter=param.name,
            expected=_shape(expected),
            got=_shape(tensor.shape),
            what="shape",
            notes=((f"{param.name} is declared here", param.span),),
        )


def _shape(extents: tuple[Any, ...]) -> str:
    inner = ", ".join(str(extent) if isinstance(extent, int) else "?" for extent in extents)
    return f"({inner},)" if len(extents) == 1 else f"({inner})"
