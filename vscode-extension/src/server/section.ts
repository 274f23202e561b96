/** The section `tilelang` as the server reads it. Which server runs and what views show is not its business. */
export function forServer(section: unknown): Record<string, unknown> {
  if (typeof section !== 'object' || section === null) return {};
  const { targets, inlayHints, inlineAssembly, compileOnSave, codeLens } = section as Record<string, unknown>;
  const told: Record<string, unknown> = {};
  if (Array.isArray(targets) && targets.length > 0) told['target'] = targets;
  if (inlayHints !== undefined || inlineAssembly !== undefined) {
    told['inlayHints'] = { ...(inlayHints as object | undefined), code: inlineAssembly !== false };
  }
  if (compileOnSave !== undefined) told['compileOnSave'] = compileOnSave;
  if (codeLens !== undefined) told['codeLens'] = codeLens;
  return told;
}
