"""Snippets: a whole kernel, and the loops and launches that every kernel has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang_lsp.ide.completion.arguments import alias
from tilelang_lsp.ide.completion.item import Completion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tilelang_lsp.ide.completion.item import Request

_KERNEL = """\
@tilelang.jit(out_idx=[-1])
def ${1:elementwise}(N, block=${2:256}):
    @T.prim_func
    def kernel(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=${3:128}) as bx:
            for i in T.Parallel(block):
                B[bx * block + i] = A[bx * block + i]$0

    return kernel
"""
_GEMM = """\
@tilelang.jit(out_idx=[-1])
def ${1:matmul}(M, N, K, block_m=128, block_n=128, block_k=32, num_stages=${2:2}):
    @T.prim_func
    def kernel(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, block_n), T.ceildiv(M, block_m), threads=128) as (bx, by):
            A_tile = T.alloc_shared((block_m, block_k), "float16")
            B_tile = T.alloc_shared((block_k, block_n), "float16")
            acc = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_k), num_stages=num_stages):
                T.copy(A[by * block_m, k * block_k], A_tile)
                T.copy(B[k * block_k, bx * block_n], B_tile)
                T.gemm(A_tile, B_tile, acc)
            T.copy(acc, C[by * block_m, bx * block_n])$0

    return kernel
"""
_LAUNCH = "with T.Kernel(${1:grid}, threads=${2:128}) as ${3:bx}:\n    $0"
_PIPELINE = "for ${1:k} in T.Pipelined(T.ceildiv(${2:K}, ${3:block_k}), num_stages=${4:2}):\n    $0"
_PARALLEL = "for ${1:i}, ${2:j} in T.Parallel(${3:block_m}, ${4:block_n}):\n    $0"
_PRIM_FUNC = '@T.prim_func\ndef ${1:kernel}(${2:A}: T.Tensor((${3:N},), "${4:float16}")):\n    $0'
_MACRO = "@T.macro\ndef ${1:name}(${2:tile}):\n    $0"


def complete(asked: Request) -> Iterator[Completion]:
    """Only where a statement begins."""
    cursor, around = asked.cursor, asked.around
    if not cursor.at_statement:
        return
    if not around.functions:
        yield _snippet(asked, "tilelang kernel", _KERNEL, "an elementwise kernel")
        yield _snippet(asked, "tilelang gemm", _GEMM, "a matrix product with a pipeline")
        yield _snippet(asked, "tilelang macro", _MACRO, "a macro")
    elif around.in_kernel:
        yield _snippet(asked, "for pipelined", _PIPELINE, "a pipelined loop")
        yield _snippet(asked, "for parallel", _PARALLEL, "a parallel loop nest")
    elif around.in_prim_func:
        yield _snippet(asked, "with kernel", _LAUNCH, "a launch")
    else:
        yield _snippet(asked, "tilelang prim_func", _PRIM_FUNC, "a kernel definition")


def _snippet(asked: Request, label: str, body: str, detail: str) -> Completion:
    name = alias(asked)
    text = body if name == "T" else body.replace("T.", f"{name}.")
    return Completion(label, "snippet", 6, detail, text, is_snippet=True)
