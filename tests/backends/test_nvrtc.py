"""CUDA text to PTX, cubin, resources and SASS, and complaints at the right lines. Needs the extra `cuda`, no GPU."""

from __future__ import annotations

import re

import pytest
from listing.captured import KERNEL, text

from tilelang.backends.artifact import Resources
from tilelang.backends.cuda import nvrtc, toolchain
from tilelang.backends.cuda.disasm import disassemble, usage_of
from tilelang.backends.cuda.nvrtc import CudaBinary, Library, compile_cuda, library_for
from tilelang.backends.cuda.resources import remarks_of_log, resources_of_log
from tilelang.backends.store import Store
from tilelang.listing import sass_listing

if isinstance(library_for("sm_80"), str):
    pytest.skip("NVRTC is not installed", allow_module_level=True)

SOURCE = text("cu")
MEMORY = Store(None)


def compiled(source: str, arch: str = "sm_80") -> CudaBinary:
    return compile_cuda(source, arch, sources=(KERNEL,), store=MEMORY)


@pytest.mark.parametrize("arch", ["sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"])
def test_every_generation(arch: str) -> None:
    library = library_for(arch)
    if isinstance(library, str):
        pytest.skip(library)
    binary = compiled(SOURCE, arch)
    assert binary.problems == ()
    assert binary.ptx is not None
    assert f".target {arch}" in binary.ptx
    assert binary.cubin is not None
    assert binary.cubin[:4] == b"\x7fELF"
    resources = binary.resources["scale"]
    assert resources.static_shared == 1024
    assert resources.spill_stores == resources.spill_loads == 0
    assert 8 <= (resources.registers or 0) <= 64


def test_sass_leads_to_source_lines() -> None:
    binary = compiled(SOURCE, "sm_75")
    assert binary.cubin is not None
    shown = disassemble(binary.cubin, store=MEMORY)
    assert shown.note == ""
    listing = sass_listing(shown.text, program="scale", target="sm_75", sources=(KERNEL,))
    assert listing.mapped.share == 1.0
    assert "1 BAR" in listing.mix_of(KERNEL, 11).text


def test_volta_has_ptx_and_says_why_no_sass() -> None:
    library = library_for("sm_70")
    if isinstance(library, str):
        pytest.skip(library)
    binary = compiled(SOURCE, "sm_70")
    assert binary.cubin is not None
    shown = disassemble(binary.cubin, store=MEMORY)
    assert shown.text or re.search(r"nvdisasm \d+\.\d+ does not know sm_70", shown.note)


def test_cuobjdump_agrees_with_the_log() -> None:
    binary = compiled(SOURCE, "sm_80")
    assert binary.cubin is not None
    usage, logged = usage_of(binary.cubin)["scale"], binary.resources["scale"]
    assert (usage.registers, usage.stack, usage.static_shared) == (
        logged.registers,
        logged.stack,
        logged.static_shared,
    )


def test_spills_are_counted() -> None:
    body = "\n".join(f"  float v{i} = a[{i} * n];" for i in range(60))
    sums = " + ".join(f"v{i} * b[{i}]" for i in range(60))
    source = (
        'extern "C" __global__ void __launch_bounds__(1024, 2) k(volatile float* a, volatile float* b, int n) {\n'
        f"{body}\n  __syncthreads();\n  a[0] = {sums};\n}}\n"
    )
    resources = compiled(source).resources["k"]
    assert resources.registers == 32
    assert (resources.spill_stores or 0) > 0
    assert (resources.spill_loads or 0) > 0


def test_a_mistake_is_at_its_line_with_the_place_in_it() -> None:
    binary = compiled(SOURCE.replace("twice(A[i])", "twice(A[i] + missing)"))
    assert binary.cubin is None
    (problem,) = binary.problems
    assert (problem.kind, problem.span.path, problem.span.line) == ("compile-error", KERNEL, 10)
    assert problem.data["message"] == 'identifier "missing" is undefined'
    code, column = str(problem.data["code"]), problem.data["column"]
    assert isinstance(column, int)
    assert code[column:].startswith("missing")


def test_what_the_assembler_refuses_is_at_its_line() -> None:
    copy = 'asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(0), "l"(A));'
    binary = compiled(SOURCE.replace("__syncthreads();", copy), "sm_75")
    (problem,) = binary.problems
    assert (problem.span.path, problem.span.line) == (KERNEL, 11)
    assert "sm_80" in str(problem.data["message"])
    assert binary.ptx is not None
    assert "cp.async" in binary.ptx


def test_mistakes_in_generated_helpers_have_no_place() -> None:
    (problem, *_) = compiled(SOURCE.replace("x * 2.0f", "y * 2.0f")).problems
    assert problem.span.line == 0


def test_many_mistakes_are_cut() -> None:
    lines = "\n".join(f"int a{i} = missing{i};" for i in range(100))
    assert 1 < len(compiled(f'#line 1 "{KERNEL}"\n{lines}\n').problems) <= 20


def test_headers_by_name() -> None:
    binary = compile_cuda(
        '#include "mine.h"\nextern "C" __global__ void k(int* p) { *p = SEVEN; }',
        "sm_80",
        headers={"mine.h": "#define SEVEN 7\n"},
        store=MEMORY,
    )
    assert binary.problems == ()


def test_cuda_headers_are_found() -> None:
    if not toolchain.header_folders():
        pytest.skip("the headers of CUDA are not installed")
    source = '#include <cuda_fp16.h>\nextern "C" __global__ void k(__half* p) { *p = __hadd(*p, *p); }'
    assert compiled(source).problems == ()


def test_an_arch_that_no_library_knows() -> None:
    (problem,) = compiled(SOURCE, "sm_999").problems
    assert re.fullmatch(r"NVRTC [\d., ]+ does not compile for sm_999", str(problem.data["message"]))


def test_without_nvrtc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvrtc, "nvrtc_libraries", lambda: ())
    binary = compile_cuda(SOURCE, "sm_80", store=Store(None))
    assert "pip install 'tilelang-suite[cuda]'" in str(binary.problems[0].data["message"])


def test_without_a_disassembler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilelang.backends.cuda.disasm.tool", lambda _: None)
    shown = disassemble(b"", store=Store(None))
    assert shown.text == ""
    assert "pip install 'tilelang-suite[cuda]'" in shown.note
    assert usage_of(b"") == {}


def test_bytes_that_are_no_cubin() -> None:
    shown = disassemble(b"nothing", store=Store(None))
    assert shown.text == ""
    assert shown.note.startswith("nvdisasm failed:")


def test_the_library_says_what_it_can() -> None:
    library = library_for("sm_80")
    assert isinstance(library, Library)
    assert library.version >= (12, 0)
    assert {75, 80, 90} <= set(library.archs)


def test_a_second_compile_comes_from_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(None)
    first = compile_cuda(SOURCE, "sm_80", sources=(KERNEL,), store=store)
    monkeypatch.setattr(nvrtc, "_compile", None)
    assert compile_cuda(SOURCE, "sm_80", sources=(KERNEL,), store=store) == first


def test_the_log_of_several_functions() -> None:
    log = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90a'
ptxas info    : Function properties for first
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 19 registers, used 1 barriers, 1024 bytes smem, 372 bytes cmem[0]
ptxas info    : Compile time = 7.209 ms
ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored to maintain minimum register requirements.
ptxas info    : Compiling entry function 'second' for 'sm_90a'
ptxas info    : Function properties for second
ptxas         .     96 bytes stack frame, 88 bytes spill stores, 92 bytes spill loads
ptxas info    : Used 255 registers, 384 bytes cmem[0]
"""
    assert resources_of_log(log) == {
        "first": Resources(19, 0, 0, 0, 1024),
        "second": Resources(255, 88, 92, 96, 0),
    }
    (remark,) = remarks_of_log(log)
    assert remark.startswith("Potential Performance Loss: 'setmaxnreg' ignored")
