"""Language server for TileLang, on the core and the analyzers."""
