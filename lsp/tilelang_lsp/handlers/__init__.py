"""One module per LSP method or family of methods: convert, call, convert. Only these and the server know LSP."""

from tilelang_lsp.handlers import (
    call_hierarchy,
    code_actions,
    code_lens,
    completion,
    diagnostics,
    documents,
    hover,
    inlay_hints,
    lifecycle,
    navigation,
    notebooks,
    rename,
    semantic_tokens,
    signature_help,
    status,
    structure,
    symbols,
    targets,
)

ALL = (
    lifecycle,
    documents,
    notebooks,
    diagnostics,
    status,
    hover,
    inlay_hints,
    code_lens,
    semantic_tokens,
    symbols,
    targets,
    structure,
    navigation,
    rename,
    call_hierarchy,
    completion,
    signature_help,
    code_actions,
)
"""Every module with a ``register``."""
