/**
 * Listings of generated code as the server sends them (docs/json-schema/listing.schema.json), and the way between their
 * lines and those of the source. Lines of listings count from 0, lines of sources from 1.
 */

export const CLASSES = [
  'tensor', 'async', 'shared', 'global', 'local', 'memory', 'atomic', 'barrier', 'warp', 'special', 'half', 'float',
  'double', 'convert', 'int', 'constant', 'move', 'control', 'other',
] as const;
export type InstructionClass = (typeof CLASSES)[number];
export type Counts = Partial<Record<InstructionClass, number>>;

export type LineKind = 'instruction' | 'statement' | 'label' | 'directive' | 'comment' | 'padding' | 'blank';

export interface ListingLine {
  text: string;
  kind: LineKind;
  /** Pairs of a file and a line, innermost first. */
  at?: [number, number][];
  function?: number;
  opcode?: string;
  class?: InstructionClass;
  address?: number;
  modifiers?: string[];
  operands?: string[];
  predicate?: string;
  control?: { stall: number; yield: boolean; write: number | null; read: number | null; wait: number[] };
}

export interface ListingFunction {
  name: string;
  first: number;
  last: number;
  threads?: number | null;
  registers?: number | null;
  spill_stores?: number | null;
  spill_loads?: number | null;
  stack?: number | null;
  static_shared?: number | null;
  dynamic_shared?: number | null;
  occupancy?: { blocks: number; warps: number; fraction: number; limiters: string[] } | null;
}

export interface LineMix {
  file: number;
  line: number;
  /** `16 HMMA.16816 · 8 LDSM` */
  text: string;
  classes: Counts;
  /** Closed ranges of lines of the listing. */
  lines: [number, number][];
}

export interface ListingDocument {
  version: number;
  stage: string;
  program: string;
  target: string;
  files: string[];
  python: number[];
  summary: string;
  mapped: { lines: number; of: number; share: number };
  functions: ListingFunction[];
  lines: ListingLine[];
  mix: LineMix[];
  notes: string[];
}

/** A line of a source: the number of its file in `files`, and the line from 1. */
export interface Place {
  file: number;
  line: number;
}

export function keyOf({ file, line }: Place): string {
  return `${file}:${line}`;
}

/** Both directions of a listing's map. */
export class SourceMap {
  private readonly python: Set<number>;
  private readonly byPlace = new Map<string, number[]>();
  /** The rank of each source line that has code, by file and line. */
  private readonly rank = new Map<string, number>();

  constructor(readonly document: ListingDocument) {
    this.python = new Set(document.python);
    document.lines.forEach((_, index) => {
      for (const place of this.placesOf(index)) {
        const key = keyOf(place);
        const known = this.byPlace.get(key);
        if (known) known.push(index);
        else this.byPlace.set(key, [index]);
      }
    });
    [...this.byPlace.keys()]
      .map((key) => key.split(':').map(Number) as [number, number])
      .sort((left, right) => left[0] - right[0] || left[1] - right[1])
      .forEach(([file, line], rank) => this.rank.set(keyOf({ file, line }), rank));
  }

  /** The source lines that a listing line comes from, innermost first, each once. */
  placesOf(index: number): Place[] {
    const places: Place[] = [];
    for (const [file, line] of this.document.lines[index]?.at ?? []) {
      if (this.python.has(file) && !places.some((each) => each.file === file && each.line === line)) places.push({ file, line });
    }
    return places;
  }

  /** The listing lines that come from a source line. */
  linesOf(place: Place): readonly number[] {
    return this.byPlace.get(keyOf(place)) ?? [];
  }

  /** Those of a range of source lines, in the order of the listing. */
  linesOfRange(file: number, from: number, to: number): number[] {
    const found = new Set<number>();
    for (let line = from; line <= to; line++) for (const index of this.linesOf({ file, line })) found.add(index);
    return [...found].sort((left, right) => left - right);
  }

  /** Which colour band a source line has: neighbours in the source differ. Undefined for lines without code. */
  bandOf(place: Place | undefined, bands: number): number | undefined {
    const rank = place && this.rank.get(keyOf(place));
    return rank === undefined ? undefined : rank % bands;
  }

  /** The source lines with code. */
  get places(): Place[] {
    return [...this.rank.keys()].map((key) => {
      const [file, line] = key.split(':').map(Number);
      return { file: file!, line: line! };
    });
  }
}

/** `16 HMMA.16816 · 8 LDSM` as counts by name. */
export function namesIn(text: string): Map<string, number> {
  const names = new Map<string, number>();
  for (const part of text.split(' · ')) {
    const found = /^(\d+) (.+)$/.exec(part);
    if (found) names.set(found[2]!, (names.get(found[2]!) ?? 0) + Number(found[1]));
  }
  return names;
}
