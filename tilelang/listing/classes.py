"""What kind of work an instruction does, by its opcode.

Sources: NVIDIA's CUDA Binary Utilities (tables of SASS opcodes by architecture) and the PTX ISA.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Sequence

InstructionClass = Literal[
    "tensor",
    "async",
    "shared",
    "global",
    "local",
    "memory",
    "atomic",
    "barrier",
    "warp",
    "special",
    "half",
    "float",
    "double",
    "convert",
    "int",
    "constant",
    "move",
    "control",
    "other",
]
"""``async``: copies that go on while the program runs, and waits for them. ``memory``: generic addresses, tensor memory
and caches. ``barrier``: also fences. ``warp``: shuffles, votes and reductions of a warp. ``special``: functions such as
``ex2`` and reads of special registers. ``local``: the thread's stack, which is where spills go."""

CLASSES: tuple[InstructionClass, ...] = get_args(InstructionClass)
"""In the order in which texts name them."""

_SASS_WORDS: dict[InstructionClass, str] = {
    "tensor": "HMMA IMMA DMMA BMMA QMMA OMMA HGMMA IGMMA QGMMA BGMMA UTCHMMA UTCQMMA UTCIMMA UTCOMMA UTCMXQMMA",
    "async": "LDGSTS LDGDEPBAR DEPBAR ARRIVES UTMALDG UTMASTG UTMAREDG UTMAPF UTMACCTL UTMACMDFLUSH UBLKCP UBLKRED "
    "UBLKPF UTCCP UTCSHIFT UTCBAR",
    "shared": "LDS STS LDSM STSM",
    "global": "LDG STG",
    "local": "LDL STL",
    "memory": "LD ST LDTM STTM LDT STT CCTL CCTLL CCTLT QSPC UTCATOMSWS",
    "atomic": "ATOM ATOMG ATOMS RED REDG REDS REDAS",
    "barrier": "BAR MEMBAR ERRBAR WARPSYNC SYNCS WARPGROUP UCGABAR_ARV UCGABAR_WAIT FENCE B2R R2B NANOSLEEP CGAERRBAR",
    "warp": "SHFL VOTE VOTEU MATCH REDUX CREDUX ELECT MOVM",
    "special": "MUFU S2R S2UR CS2R CS2UR",
    "half": "HADD2 HADD2_32I HFMA2 HFMA2_32I HMUL2 HMUL2_32I HMNMX2 VHMNMX HSET2 HSETP2",
    "float": "FADD FADD32I FADD2 FFMA FFMA32I FFMA2 FMUL FMUL32I FMUL2 FMNMX FMNMX3 FSET FSETP FSEL FCHK FSWZADD "
    "UFADD UFFMA UFMUL UFMNMX UFSETP UFSEL",
    "double": "DADD DFMA DMUL DSETP DMNMX",
    "convert": "F2F F2I F2FP F2IP FRND I2F I2FP I2I I2IP UF2F UF2FP UF2I UI2F UI2FP UFRND",
    "int": "IADD IADD3 IADD32I IADD64 IMAD IMAD32I IMUL IMUL32I IABS IMNMX IMNMX64 ISETP ISCADD ISCADD32I ISAD IDP "
    "IDP4A LEA LOP LOP3 LOP32I PLOP3 SHF SHL SHR BMSK BREV FLO POPC SGXT VABSDIFF VABSDIFF4 VIADD VIADDMNMX VIMNMX "
    "VIMNMX3 UIADD3 UIADD64 UIMAD UIMNMX UISETP ULEA ULOP ULOP3 UPLOP3 USHF USHL USHR UBMSK UBREV UFLO UPOPC USGXT "
    "UVIADD UVIMNMX",
    "constant": "LDC LDCU ULDC",
    "move": "MOV MOV32I UMOV SEL USEL PRMT UPRMT R2UR P2R R2P UP2UR UR2UP PSETP PSET UPSETP IMOV",
    "control": "BRA BRX BRXU JMP JMX JMXU CALL RET EXIT BSSY BSYNC BREAK BMOV KILL BPT YIELD RPCMOV NOP LEPC PREEXIT "
    "ACQBULK ENDCOLLECTIVE RTT DEPBAR_ALL SETCTAID SETLMEMBASE GETLMEMBASE USETMAXREG USETSHMSZ",
}
_SASS: dict[str, InstructionClass] = {word: kind for kind, words in _SASS_WORDS.items() for word in words.split()}
_WIDTHS = ("64", "128", "256")
_WIDE_CLASSES: tuple[InstructionClass, ...] = ("shared", "global", "local", "memory", "async")


def sass_class(opcode: str, modifiers: Sequence[str], operands: Sequence[str] = ()) -> InstructionClass:
    """The class of a SASS instruction; ``other`` for opcodes that are not known."""
    if (opcode == "IMAD" and modifiers and modifiers[0] == "MOV") or (opcode == "CS2R" and "SRZ" in operands):
        return "move"
    return _SASS.get(opcode, "other")


def sass_name(opcode: str, modifiers: Sequence[str], kind: InstructionClass) -> str:
    """The opcode with the modifier that tells its work: the shape of a product, the width of an access in bits, the
    function of the special-function unit."""
    if kind == "tensor":
        shape = next((it for it in modifiers if it[:1].isdigit()), None)
        return f"{opcode}.{shape}" if shape else opcode
    if kind in _WIDE_CLASSES and opcode not in ("LDSM", "STSM"):
        width = next((it for it in modifiers if it in _WIDTHS), None)
        return f"{opcode}.{width}" if width else opcode
    if opcode == "MUFU" and modifiers:
        return f"{opcode}.{modifiers[0]}"
    return opcode


_PTX: dict[str, InstructionClass] = {
    **dict.fromkeys(("mma", "wgmma", "wmma"), "tensor"),
    **dict.fromkeys(("cp", "mbarrier_try_wait"), "async"),
    **dict.fromkeys(("ldmatrix", "stmatrix"), "shared"),
    **dict.fromkeys(("atom", "red", "multimem"), "atomic"),
    **dict.fromkeys(("bar", "barrier", "mbarrier", "membar", "fence", "griddepcontrol"), "barrier"),
    **dict.fromkeys(("shfl", "vote", "match", "redux", "activemask", "elect", "movmatrix"), "warp"),
    **dict.fromkeys(("ex2", "lg2", "rcp", "rsqrt", "sqrt", "sin", "cos", "tanh"), "special"),
    **dict.fromkeys(("cvt",), "convert"),
    **dict.fromkeys(("mov", "selp", "prmt", "cvta", "mapa", "getctarank", "setmaxnreg"), "move"),
    **dict.fromkeys(("bra", "brx", "call", "ret", "exit", "trap", "brkpt", "nanosleep", "pmevent"), "control"),
    **dict.fromkeys(("prefetch", "prefetchu", "applypriority", "discard", "createpolicy", "isspacep"), "memory"),
}
_PTX_SPACES: dict[str, InstructionClass] = {"global": "global", "shared": "shared", "local": "local"}
_PTX_TYPES: dict[str, InstructionClass] = {
    **dict.fromkeys(("f32", "f32x2", "tf32"), "float"),
    **dict.fromkeys(("f16", "f16x2", "bf16", "bf16x2"), "half"),
    "f64": "double",
}


def ptx_class(opcode: str, modifiers: Sequence[str]) -> InstructionClass:
    """The class of a PTX instruction, by its opcode, its state space and its type."""
    if opcode in ("ld", "st", "ldu"):
        if "param" in modifiers or "const" in modifiers:
            return "constant"
        for modifier in modifiers:
            space = _PTX_SPACES.get(modifier.partition("::")[0])
            if space is not None:
                return space
        return "memory"
    if opcode == "tcgen05":
        return "tensor" if modifiers and modifiers[0] == "mma" else "memory"
    if opcode in ("wgmma", "mma", "wmma"):
        products = ("mma_async", "mma", "sync")
        return "tensor" if opcode == "mma" or (modifiers and modifiers[0] in products) else "barrier"
    if opcode in _PTX:
        return _PTX[opcode]
    for modifier in reversed(modifiers):
        kind = _PTX_TYPES.get(modifier)
        if kind is not None:
            return kind
    return "int"


def ptx_name(opcode: str, modifiers: Sequence[str], kind: InstructionClass) -> str:
    """The opcode with what tells its work: the shape of a product, the space and vector of an access."""
    if kind == "tensor":
        shape = next((it for it in modifiers if it[:1] == "m" and it[1:2].isdigit()), None)
        return f"{opcode}.{shape}" if shape else opcode
    if opcode in ("ld", "st", "cp", "ldmatrix", "stmatrix"):
        kept = [it for it in modifiers if it in ("async", "bulk", "v2", "v4", "v8", "x1", "x2", "x4")]
        return ".".join([opcode, *kept])
    return opcode
