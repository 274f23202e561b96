"""The case files are programs to check, not tests to run, whatever their names."""

collect_ignore = ["files"]
