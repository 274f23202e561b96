/** Which lines of a kernel generated nothing. */

const CODE = /^\s*[^\s#]/;

/**
 * The lines (from 1) between the first and the last line with code that have none themselves. Blank lines, comments, and
 * lines that continue a statement with code do not count.
 */
export function unusedLines(texts: readonly string[], withCode: ReadonlySet<number>): number[] {
  const sorted = [...withCode].sort((left, right) => left - right);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return [];
  const unused: number[] = [];
  let statement: number[] = [];
  let depth = 0;
  for (let line = first; line <= last; line++) {
    const text = texts[line - 1] ?? '';
    if (depth === 0) statement = [];
    if (CODE.test(text)) statement.push(line);
    depth = Math.max(0, depth + balance(text));
    if (depth === 0 && !statement.some((each) => withCode.has(each))) unused.push(...statement);
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
