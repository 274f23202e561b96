"""What the client can do, read once, so that no handler digs in its capabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from lsprotocol import types


@dataclass(frozen=True, slots=True)
class Client:
    """Each field says that the client can do what its name says."""

    shows_markdown: bool = False
    shows_related_information: bool = False
    shows_tags: bool = False
    pulls_diagnostics: bool = False
    refreshes_diagnostics: bool = False
    inserts_snippets: bool = False
    gives_configuration: bool = False
    registers_configuration: bool = False
    registers_watchers: bool = False
    shows_progress: bool = False
    refreshes_hints: bool = False
    refreshes_lenses: bool = False
    refreshes_tokens: bool = False
    follows_links: bool = False
    nests_symbols: bool = False
    resolves_edits: bool = False
    wants_status: bool = False
    refreshes_content: bool = False
    registers_content: bool = False
    shows_documents: bool = False

    @staticmethod
    def of(capabilities: types.ClientCapabilities) -> Client:
        def has(path: str) -> Any:
            value: Any = capabilities
            for name in path.split("."):
                value = _member(value, name)
            return value

        formats = has("text_document.hover.content_format") or ()
        resolved = has("text_document.code_action.resolve_support.properties") or ()
        return Client(
            shows_markdown=any(getattr(each, "value", each) == "markdown" for each in formats),
            shows_related_information=bool(has("text_document.publish_diagnostics.related_information"))
            or bool(has("text_document.diagnostic.related_information")),
            shows_tags=bool(
                has("text_document.publish_diagnostics.tag_support") or has("text_document.diagnostic.tag_support")
            ),
            pulls_diagnostics=has("text_document.diagnostic") is not None,
            refreshes_diagnostics=bool(has("workspace.diagnostics.refresh_support")),
            inserts_snippets=bool(has("text_document.completion.completion_item.snippet_support")),
            gives_configuration=bool(has("workspace.configuration")),
            registers_configuration=bool(has("workspace.did_change_configuration.dynamic_registration")),
            registers_watchers=bool(has("workspace.did_change_watched_files.dynamic_registration")),
            shows_progress=bool(has("window.work_done_progress")),
            refreshes_hints=bool(has("workspace.inlay_hint.refresh_support")),
            refreshes_lenses=bool(has("workspace.code_lens.refresh_support")),
            refreshes_tokens=bool(has("workspace.semantic_tokens.refresh_support")),
            follows_links=bool(has("text_document.definition.link_support")),
            nests_symbols=bool(has("text_document.document_symbol.hierarchical_document_symbol_support")),
            resolves_edits="edit" in resolved,
            wants_status=bool(has("experimental.tilelangStatus")),
            refreshes_content=has("workspace.text_document_content") is not None,
            registers_content=bool(has("workspace.text_document_content.dynamic_registration")),
            shows_documents=bool(has("window.show_document.support")),
        )


def _member(value: Any, name: str) -> Any:
    """A field of an LSP object, or an entry of what its type leaves open; None where there is none."""
    return cast("dict[str, Any]", value).get(name) if isinstance(value, dict) else getattr(value, name, None)
