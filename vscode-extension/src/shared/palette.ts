/**
 * Colours of bands and of kinds of work. They are those of Okabe and Ito ("Color Universal Design", 2008), which people
 * with any common colour blindness can tell apart. No meaning is carried by colour alone: line numbers and names stand
 * beside it.
 */
import type { Counts, InstructionClass } from './listing';

/** One for each source line, again and again. Neighbours differ in brightness too. */
export const BANDS = ['#e69f00', '#0072b2', '#f0e442', '#d55e00', '#56b4e9', '#009e73', '#cc79a7'] as const;

export function withAlpha(color: string, alpha: number): string {
  const [red, green, blue] = [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16));
  return `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}

/** How strong a band is on a theme. */
export const BAND_ALPHA = { dark: 0.2, light: 0.22 } as const;

/** Kinds of work that bars tell apart, with what the legend says. */
export const GROUPS = [
  { name: 'tensor', label: 'tensor', color: '#009e73', classes: ['tensor'] },
  { name: 'async', label: 'async copy', color: '#e69f00', classes: ['async'] },
  { name: 'shared', label: 'shared', color: '#56b4e9', classes: ['shared'] },
  { name: 'global', label: 'global, local', color: '#d55e00', classes: ['global', 'local', 'memory', 'atomic'] },
  { name: 'sync', label: 'sync', color: '#f0e442', classes: ['barrier', 'warp'] },
  { name: 'math', label: 'math', color: '#cc79a7', classes: ['special', 'half', 'float', 'double', 'convert'] },
  { name: 'int', label: 'int, move, branch', color: '#8c8c8c', classes: ['int', 'constant', 'move', 'control', 'other'] },
] as const satisfies readonly { name: string; label: string; color: string; classes: readonly InstructionClass[] }[];

export interface Part {
  name: string;
  label: string;
  color: string;
  count: number;
}

/** The parts of a bar, those without instructions left out. */
export function partsOf(counts: Counts): Part[] {
  return GROUPS.map(({ name, label, color, classes }) => ({
    name,
    label,
    color,
    count: classes.reduce((sum, each) => sum + (counts[each] ?? 0), 0),
  })).filter(({ count }) => count > 0);
}

export function groupOf(kind: InstructionClass | undefined): string {
  return GROUPS.find(({ classes }) => (classes as readonly string[]).includes(kind ?? 'other'))?.name ?? 'int';
}
