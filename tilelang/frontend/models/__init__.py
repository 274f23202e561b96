"""Models of what lies outside the project: builtins, pure parts of the standard library, torch and NumPy shapes,
pytest, and the host side of the language. Nothing is imported; a model only says what a call returns."""
