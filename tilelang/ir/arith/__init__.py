"""Integer arithmetic over symbolic sizes and indices: simplification, ranges, equality."""
