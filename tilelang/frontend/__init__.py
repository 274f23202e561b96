"""The evaluator: from source to kernel instances, without running the source."""
