"""Checks over the TileLang core, their reports, and the command line."""
