/** Which lines of a kernel generated nothing. */

const CODE = /^\s*[^\s#]/;

const HEAD = /^\s*(?:@|def\b|async\b|class\b|return\b)/;

/**
 * The lines from `first` (from 1, the kernel's `def`) to the last line with code that have none themselves. Blank lines,
 * comments, heads of functions, and lines that continue a statement with code do not count.
 */
export function unusedLines(texts: readonly string[], withCode: ReadonlySet<number>, first: number): number[] {
  const last = Math.max(0, ...withCode);
  const unused: number[] = [];
  let statement: number[] = [];
  let depth = 0;
  for (let line = first; line <= last; line++) {
    const text = texts[line - 1] ?? '';
    if (depth === 0) statement = [];
    if (CODE.test(text)) statement.push(line);
    depth = Math.max(0, depth + balance(text));
    if (depth === 0 && !HEAD.test(texts[(statement[0] ?? 0) - 1] ?? '') && !statement.some((each) => withCode.has(each))) unused.push(...statement);
  }
  return unused;
}

/** Brackets that a line opens minus those that it closes, outside of strings and comments. */
function balance(text: string): number {
  let depth = 0;
  let quote = '';
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    if (quote) {
      if (character === '\\') index++;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '#') break;
    else if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
  }
  return depth;
}
