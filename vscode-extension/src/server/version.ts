/** Versions of the server and of Python, compared by their numbers. */

/** The oldest server that answers what this extension asks. */
export const MINIMUM_SERVER = '0.1.0';

/** Versions of Python that the bundled server has parts for. */
export const PYTHON_MINORS = [10, 11, 12, 13] as const;

/** The first dotted number in a text such as `tilelang-lsp 0.1.0`. */
export function versionIn(text: string): string | undefined {
  return /\d+(?:\.\d+)+/.exec(text)?.[0];
}

/** Negative if `left` is older, 0 if both are the same release. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((version) => version.split('.').map(Number));
  for (let index = 0; index < Math.max(a!.length, b!.length); index++) {
    const difference = (a![index] ?? 0) - (b![index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether the bundled server runs on a Python of this version. */
export function isUsablePython(version: string): boolean {
  const [major, minor] = version.split('.').map(Number);
  return major === 3 && (PYTHON_MINORS as readonly number[]).includes(minor ?? -1);
}
