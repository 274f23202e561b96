"""One module per LSP method or family of methods: convert, call, convert. Only these and the server know LSP."""

from tilelang_lsp.handlers import diagnostics, documents, lifecycle, notebooks, status

ALL = (lifecycle, documents, notebooks, diagnostics, status)
"""Every module with a ``register``."""
