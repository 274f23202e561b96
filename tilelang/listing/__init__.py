"""Generated code as data: what each line is, which source lines it comes from, and what it costs.

Nothing here runs a tool or imports a compiler. The parsers take the text that a tool printed; everything else works on
:class:`Listing`.
"""

from tilelang.listing.assembly import assembly_listing
from tilelang.listing.diff import ListingDiff, diff_of
from tilelang.listing.document import diff_document, document_of
from tilelang.listing.mix import Mix
from tilelang.listing.model import Control, Function, Instruction, Kind, Line, Listing, Mapped, Place
from tilelang.listing.program_text import cuda_listing, tile_ir_listing, tir_listing
from tilelang.listing.ptx import ptx_listing
from tilelang.listing.sass import sass_listing

__all__ = [
    "Control",
    "Function",
    "Instruction",
    "Kind",
    "Line",
    "Listing",
    "ListingDiff",
    "Mapped",
    "Mix",
    "Place",
    "assembly_listing",
    "cuda_listing",
    "diff_document",
    "diff_of",
    "document_of",
    "ptx_listing",
    "sass_listing",
    "tile_ir_listing",
    "tir_listing",
]
