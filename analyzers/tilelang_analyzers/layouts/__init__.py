"""Layouts for people and programs: records, text, pictures, and the command ``tilelang layouts``."""
