"""Other operations that are not modelled. Written by tools/gen_language.py; do not edit."""

from __future__ import annotations

from typing import Any

from tilelang.ir.unknown import UNKNOWN
from tilelang.language.opaque import OpaqueObject, opaque, opaque_value


class Call(OpaqueObject):
    """A call of an operation, by its name."""

    def __init__(self, dtype: Any, op: Any, args: Any, annotations: Any = None, span: Any = None) -> None:
        self.keep(locals())


class CallEffectKind(OpaqueObject):
    """What a call may do: read, write, control."""

    def __init__(self) -> None:
        self.keep(locals())


class IterVar(OpaqueObject):
    """An axis of a loop nest or of the launch."""

    def __init__(self, dom: Any, var: Any, iter_type: Any, thread_tag: Any = "", span: Any = None) -> None:
        self.keep(locals())


@opaque
def Let(expr: Any, where: Any) -> Any:
    """A value in which variables stand for other values."""
    return UNKNOWN


class PrimExpr(OpaqueObject):
    """Base of all values."""

    def __init__(self, dtype: Any, span: Any = None) -> None:
        self.keep(locals())


class ProducerLoad(OpaqueObject):
    """An element of what a stage produces."""

    def __init__(self, producer: Any, indices: Any, span: Any = None) -> None:
        self.keep(locals())


@opaque
def Range(begin: Any, end: Any) -> Any:
    """The numbers from a first one up to, not including, a last one."""
    return UNKNOWN


class Reduce(OpaqueObject):
    """A reduction over axes."""

    def __init__(
        self, combiner: Any, src: Any, rdom: Any, condition: Any, value_index: Any, init: Any = None, span: Any = None
    ) -> None:
        self.keep(locals())


@opaque
def TVMBackendAllocWorkspace(
    device_type: Any, device_id: Any, nbytes: Any, dtype_code_hint: Any, dtype_bits_hint: Any
) -> Any:
    """Get a temporary workspace from the runtime."""
    return UNKNOWN


@opaque
def TVMBackendFreeWorkspace(device_type: Any, device_id: Any, ptr: Any) -> Any:
    """Give a temporary workspace back to the runtime."""
    return UNKNOWN


@opaque
def anylist_getitem(list_handle: Any, index: Any) -> Any:
    """An entry of a list of the runtime."""
    return UNKNOWN


@opaque
def anylist_resetitem(list_handle: Any, index: Any) -> Any:
    """Clear an entry of a list of the runtime."""
    return UNKNOWN


@opaque
def anylist_setitem_call_cpacked(list_handle: Any, index: Any, func_name: Any, *args: Any) -> Any:
    """Call a C function and put its result in a list of the runtime."""
    return UNKNOWN


@opaque
def anylist_setitem_call_packed(list_handle: Any, index: Any, func_name: Any, *args: Any) -> Any:
    """Call a packed function and put its result in a list of the runtime."""
    return UNKNOWN


@opaque
def arg(name: Any, obj: Any) -> Any:
    """Declare a parameter of the function."""
    return UNKNOWN


class axis(OpaqueObject):
    """Declares the axes of a block."""

    def __init__(self) -> None:
        self.keep(locals())


@opaque
def block_name_suffix_context(block_suffix: Any) -> Any:
    """Add a suffix to the names of blocks."""
    return UNKNOWN


@opaque
def call_cpacked(*args: Any, span: Any = None) -> Any:
    """Call a C function of the host."""
    return UNKNOWN


@opaque
def call_cpacked_lowered(*args: Any, span: Any = None) -> Any:
    """Call a C function of the host with its arguments on the stack."""
    return UNKNOWN


@opaque
def call_kernel(kernel: Any, launch_args: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a kernel that was compiled by something else."""
    return UNKNOWN


@opaque_value("named")
def call_llvm_intrin(dtype: Any, name: Any, *args: Any, span: Any = None) -> Any:
    """Call an intrinsic of LLVM."""
    return UNKNOWN


@opaque_value("named")
def call_llvm_pure_intrin(dtype: Any, name: Any, *args: Any, span: Any = None) -> Any:
    """Call an intrinsic of LLVM without side effects."""
    return UNKNOWN


@opaque
def call_packed(*args: Any, span: Any = None) -> Any:
    """Call a function of the host."""
    return UNKNOWN


@opaque
def call_packed_lowered(*args: Any, span: Any = None) -> Any:
    """Call a function of the host with its arguments on the stack."""
    return UNKNOWN


@opaque
def end_profile_intrinsic(id: Any) -> Any:
    """Mark the end of a profiled part."""
    return UNKNOWN


@opaque_value("handle")
def handle_add_byte_offset(handle: Any, offset: Any) -> Any:
    """A pointer some bytes further."""
    return UNKNOWN


@opaque
def has_let_value(var: Any) -> Any:
    """Whether a variable is bound to a value."""
    return UNKNOWN


@opaque
def index_map(mapping: Any, *, inverse_index_map: Any = None, index_dtype: Any = "int64") -> Any:
    """A map of indices given by a function."""
    return UNKNOWN


@opaque
def iter_var(v: Any, dom: Any, iter_type: Any, thread_tag: Any) -> Any:
    """An axis of a loop nest or of the launch."""
    return UNKNOWN


@opaque
def let(v: Any, value: Any, body: Any = None) -> Any:
    """Bind a variable to a value."""
    return UNKNOWN


@opaque_value("int32")
def llvm_lookup_intrinsic_id(name: Any) -> Any:
    """The number of an intrinsic of LLVM."""
    return UNKNOWN


@opaque
def lookup_param(param_name: Any, span: Any = None) -> Any:
    """A parameter by its name."""
    return UNKNOWN


class meta_var(OpaqueObject):
    """A value known while compiling."""

    def __init__(self, value: Any) -> None:
        self.keep(locals())


@opaque
def start_profile_intrinsic(id: Any) -> Any:
    """Mark the start of a profiled part."""
    return UNKNOWN


@opaque
def tvm_call_cpacked(*args: Any, span: Any = None) -> Any:
    """Call a C function of the host."""
    return UNKNOWN


@opaque
def tvm_call_cpacked_lowered(*args: Any, span: Any = None) -> Any:
    """Call a C function of the host with its arguments on the stack."""
    return UNKNOWN


@opaque
def tvm_call_packed(*args: Any, span: Any = None) -> Any:
    """Call a function of the host."""
    return UNKNOWN


@opaque
def tvm_call_packed_lowered(*args: Any, span: Any = None) -> Any:
    """Call a function of the host with its arguments on the stack."""
    return UNKNOWN


@opaque
def tvm_fill_fragment(fragment: Any, m: Any, n: Any, k: Any, index: Any, value: Any) -> Any:
    """Set a fragment of WMMA."""
    return UNKNOWN


@opaque
def tvm_stack_make_array(data: Any, shape: Any, strides: Any, ndim: Any, arr_dtype: Any, elem_offset: Any) -> Any:
    """A tensor description on the stack of the host function."""
    return UNKNOWN


@opaque
def tvm_stack_make_shape(*args: Any) -> Any:
    """A shape on the stack of the host function."""
    return UNKNOWN


@opaque
def tvm_struct_get(arr: Any, index: Any, field: Any, dtype: Any) -> Any:
    """A field of a structure of the runtime."""
    return UNKNOWN


@opaque
def tvm_struct_set(arr: Any, index: Any, field: Any, value: Any) -> Any:
    """Set a field of a structure of the runtime."""
    return UNKNOWN


@opaque
def tvm_thread_allreduce(*freduce_args: Any) -> Any:
    """Combine values of all threads and give the result to each."""
    return UNKNOWN


@opaque_value("first")
def tvm_thread_invariant(cond: Any) -> Any:
    """A condition that is equal in all threads."""
    return UNKNOWN


@opaque
def tvm_throw_last_error() -> Any:
    """Raise the last error of the runtime."""
    return UNKNOWN


@opaque
def tvm_tuple(*value: Any) -> Any:
    """Several values as one."""
    return UNKNOWN


@opaque_value("named")
def vectorcombine(dtype: Any, vec1: Any, vec2: Any) -> Any:
    """Two vectors as one."""
    return UNKNOWN


@opaque_value("named")
def vectorhigh(dtype: Any, vec: Any) -> Any:
    """The upper half of a vector."""
    return UNKNOWN


@opaque_value("named")
def vectorlow(dtype: Any, vec: Any) -> Any:
    """The lower half of a vector."""
    return UNKNOWN


@opaque_value("int32")
def vscale() -> Any:
    """How many times the shortest a scalable vector is."""
    return UNKNOWN
