"""One module per group of LSP methods: convert, call the session, convert back. Only these and the server know LSP."""
