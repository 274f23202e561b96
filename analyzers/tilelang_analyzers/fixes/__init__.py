"""Applies the fixes of findings: to text (`edits`), to one file or notebook (`rewrite`), until nothing is left to fix
(`fixpoint`), and to the disk (`write`).

A fix is applied whole or not at all. Fixes that overlap wait for the next round, when the file has been checked again.
Nothing is written before the last round: a run that is killed leaves every file as it was, or wholly fixed.
"""
