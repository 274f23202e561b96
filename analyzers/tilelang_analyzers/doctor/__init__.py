"""``tilelang doctor``: what is installed, what is seen, and what each missing piece disables.

Works in a broken environment: nothing of the ``tilelang`` package is imported.
"""

from tilelang_analyzers.doctor.import_name import ImportName, conflict, inspect_import_name
from tilelang_analyzers.doctor.report import Diagnosis, examine, run

__all__ = ["Diagnosis", "ImportName", "conflict", "examine", "inspect_import_name", "run"]
