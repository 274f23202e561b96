/**
 * The difference of two listings of a kernel: two targets, two instances, two versions. They are aligned by source line,
 * not by text: registers and addresses always differ, the work of a line does not.
 */
import { CLASSES, namesIn, SourceMap, type Counts, type InstructionClass, type ListingDocument, type ListingFunction, type ListingLine } from './listing';

export interface LineComparison {
  path: string;
  line: number;
  before: string;
  after: string;
  /** By class: the later count minus the earlier one. */
  changes: Counts;
  same: boolean;
  /** The instructions of the line. */
  code: { before: ListingLine[]; after: ListingLine[] };
}

export interface Comparison {
  /** `+18 registers · -2 barrier · HMMA.1688 → HMMA.16816` */
  summary: string;
  lines: LineComparison[];
}

const SUMMARISED: InstructionClass[] = ['tensor', 'async', 'shared', 'global', 'local', 'barrier'];

export function compare(before: ListingDocument, after: ListingDocument): Comparison {
  const sides = [before, after].map(sideOf) as [Side, Side];
  const keys = new Map([...sides[0].mixes, ...sides[1].mixes].map(([key, { path, line }]) => [key, { path, line }]));
  const lines = [...keys]
    .map(([key, { path, line }]) => {
      const [one, other] = sides.map((side) => side.mixes.get(key)) as [Mix | undefined, Mix | undefined];
      return {
        path,
        line,
        before: one?.text ?? '',
        after: other?.text ?? '',
        changes: difference(one?.classes ?? {}, other?.classes ?? {}),
        same: one?.text === other?.text,
        code: { before: one?.code ?? [], after: other?.code ?? [] },
      };
    })
    .sort((left, right) => (left.path < right.path ? -1 : left.path > right.path ? 1 : left.line - right.line));
  return { summary: summaryOf(before, after, sides), lines };
}

interface Mix {
  path: string;
  line: number;
  text: string;
  classes: Counts;
  code: ListingLine[];
}

interface Side {
  mixes: Map<string, Mix>;
  classes: Counts;
  total: number;
  tensor: string[];
}

function sideOf(document: ListingDocument): Side {
  const map = new SourceMap(document);
  const mixes = new Map<string, Mix>();
  const kinds = new Map<string, InstructionClass>();
  const classes: Counts = {};
  let total = 0;
  for (const line of document.lines) {
    if (line.kind !== 'instruction' || !line.class) continue;
    total++;
    classes[line.class] = (classes[line.class] ?? 0) + 1;
    if (line.opcode) kinds.set(line.opcode, line.class);
  }
  const names = new Set<string>();
  for (const { file, line, text, classes: counts } of document.mix) {
    const path = document.files[file] ?? '';
    // Inlined code belongs to its innermost source line, so that the counts of all lines add up.
    const own = map.linesOf({ file, line }).filter((index) => {
      const first = map.placesOf(index)[0];
      return first?.file === file && first.line === line;
    });
    const code = own.map((index) => document.lines[index]!).filter(({ kind }) => kind === 'instruction' || kind === 'statement');
    mixes.set(`${path}:${line}`, { path, line, text, classes: counts, code });
    for (const name of namesIn(text).keys()) names.add(name);
  }
  const tensor = [...names].filter((name) => kinds.get(name.split('.')[0]!) === 'tensor').sort();
  return { mixes, classes, total, tensor };
}

function difference(before: Counts, after: Counts): Counts {
  const changes: Counts = {};
  for (const kind of CLASSES) {
    const by = (after[kind] ?? 0) - (before[kind] ?? 0);
    if (by !== 0) changes[kind] = by;
  }
  return changes;
}

const FIGURES: [string, (each: ListingFunction) => number | null | undefined][] = [
  ['registers', (each) => each.registers],
  ['B spilled', (each) => (typeof each.spill_stores === 'number' ? each.spill_stores + (each.spill_loads ?? 0) : null)],
  ['B shared', (each) => (each.static_shared ?? 0) + (each.dynamic_shared ?? 0)],
  ['warps/SM', (each) => each.occupancy?.warps],
];

function summaryOf(before: ListingDocument, after: ListingDocument, [one, other]: [Side, Side]): string {
  const parts: string[] = [];
  for (const [name, figure] of FIGURES) {
    const [from, to] = [before, after].map((document) => largest(document.functions.map(figure)));
    if (from !== undefined && to !== undefined && from !== to) parts.push(`${signed(to - from)} ${name}`);
  }
  const changes = difference(one.classes, other.classes);
  for (const kind of SUMMARISED) if (changes[kind]) parts.push(`${signed(changes[kind])} ${kind}`);
  if (one.tensor.length && other.tensor.length && one.tensor.join() !== other.tensor.join()) {
    parts.push(`${one.tensor.join(', ')} → ${other.tensor.join(', ')}`);
  }
  if (one.total !== other.total) parts.push(`${signed(other.total - one.total)} instructions`);
  return parts.join(' · ') || 'no difference';
}

function largest(values: (number | null | undefined)[]): number | undefined {
  const known = values.filter((value) => typeof value === 'number');
  return known.length ? Math.max(...known) : undefined;
}

export function signed(value: number): string {
  return value > 0 ? `+${value}` : value < 0 ? `−${-value}` : '0';
}
