/** Which lines of a listing are shown, and what of them. */
import type { ListingLine } from './listing';

export interface Filters {
  directives: boolean;
  comments: boolean;
  padding: boolean;
  /** Instructions that do no work of the kernel: moves, integer arithmetic, constants, branches. */
  addresses: boolean;
}

export const DEFAULT_FILTERS: Filters = { directives: false, comments: false, padding: false, addresses: true };

const PROGRAM_STAGES = new Set(['cuda', 'tir', 'tile-ir']);

/** The numbers of the lines that are shown. In program texts braces and pragmas are part of the text. */
export function visibleLines(lines: readonly ListingLine[], stage: string, filters: Filters): number[] {
  const isProgram = PROGRAM_STAGES.has(stage);
  const shown: number[] = [];
  lines.forEach((line, index) => {
    if (isShown(line, isProgram, filters)) shown.push(index);
  });
  return shown;
}

function isShown(line: ListingLine, isProgram: boolean, filters: Filters): boolean {
  switch (line.kind) {
    case 'blank':
      return false;
    case 'directive':
      return isProgram || filters.directives;
    case 'comment':
      return filters.comments;
    case 'padding':
      return filters.padding;
    case 'instruction':
      return filters.addresses || !['int', 'move', 'constant', 'control'].includes(line.class ?? '');
    default:
      return true;
  }
}

/** The position in `shown` of a line, or of the next one that is shown. */
export function positionOf(shown: readonly number[], index: number): number {
  let low = 0;
  let high = shown.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (shown[middle]! < index) low = middle + 1;
    else high = middle;
  }
  return Math.min(low, Math.max(0, shown.length - 1));
}
