"""What a run ends with. Imports nothing, so that it can be read before anything else is."""

from __future__ import annotations

CLEAN = 0
"""No errors and no warnings."""
FINDINGS = 1
"""Errors or warnings."""
TROUBLE = 2
"""The command or the settings are wrong, a report could not be written, or something could not be checked."""
INTERRUPTED = 130
"""What shells expect after Ctrl-C."""
