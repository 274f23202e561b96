def apply_suppressions(findings, analysis, sources, levels):
    return findings
