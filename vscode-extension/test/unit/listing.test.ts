import { describe, expect, it } from 'vitest';
import { DEFAULT_FILTERS, positionOf, visibleLines } from '../../src/shared/filter';
import { namesIn, SourceMap } from '../../src/shared/listing';
import { captured } from './data';

const GEMM = 22;

describe('the map between a listing and its source', () => {
  const sass = captured('sm_80.sass');
  const map = new SourceMap(sass);

  it('leads from the product to its matrix instructions', () => {
    const lines = map.linesOf({ file: 0, line: GEMM }).map((index) => sass.lines[index]!);
    expect(lines.filter(({ opcode }) => opcode === 'HMMA')).toHaveLength(8);
  });

  it('leads back through helpers of the compiler to the line of the user', () => {
    const index = sass.lines.findIndex(({ opcode }) => opcode === 'HMMA');
    expect(sass.lines[index]!.at!.length).toBeGreaterThan(1);
    expect(map.placesOf(index)).toEqual([{ file: 0, line: GEMM }]);
  });

  it('agrees with the ranges that the server sends', () => {
    for (const { file, line, lines } of sass.mix) {
      const expected = lines.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index));
      expect(map.linesOf({ file, line })).toEqual(expected);
    }
  });

  it('answers for a selection of several lines in the order of the listing', () => {
    const found = map.linesOfRange(0, 20, 22);
    expect(found).toEqual([...found].sort((left, right) => left - right));
    expect(found.length).toBe(new Set([20, 21, 22].flatMap((line) => [...map.linesOf({ file: 0, line })])).size);
  });

  it('gives neighbouring source lines different bands', () => {
    const bands = map.places.map((place) => map.bandOf(place, 7)!);
    expect(bands.slice(1).every((band, index) => band !== bands[index])).toBe(true);
    expect(map.bandOf({ file: 0, line: 1 }, 7)).toBeUndefined();
  });

  it('works for every stage', () => {
    for (const stage of ['sm_80.ptx', 'sm_80.cuda', 'sm_80.tir', 'sm_80.tile-ir'] as const) {
      const other = new SourceMap(captured(stage));
      expect(other.linesOf({ file: 0, line: GEMM }).length, stage).toBeGreaterThan(0);
    }
  });
});

describe('filters', () => {
  const { lines } = captured('sm_80.sass');

  it('hide directives and padding unless asked for', () => {
    const shown = visibleLines(lines, 'sass', DEFAULT_FILTERS).map((index) => lines[index]!.kind);
    expect(new Set(shown)).toEqual(new Set(['instruction', 'label']));
    const all = visibleLines(lines, 'sass', { directives: true, comments: true, padding: true, addresses: true });
    expect(all.length).toBe(lines.filter(({ kind }) => kind !== 'blank').length);
    expect(all.length).toBeGreaterThan(shown.length);
  });

  it('can leave the work of the kernel only', () => {
    const shown = visibleLines(lines, 'sass', { ...DEFAULT_FILTERS, addresses: false });
    const classes = new Set(shown.map((index) => lines[index]!.class));
    expect(classes.has('tensor')).toBe(true);
    expect(classes.has('int')).toBe(false);
  });

  it('keep braces and pragmas of programs', () => {
    const cuda = captured('sm_80.cuda').lines;
    const shown = visibleLines(cuda, 'cuda', DEFAULT_FILTERS).map((index) => cuda[index]!.text.trim());
    expect(shown).toContain('}');
    expect(shown).toContain('#pragma unroll');
  });

  it('find the next line that is shown', () => {
    expect(positionOf([2, 5, 9], 5)).toBe(1);
    expect(positionOf([2, 5, 9], 6)).toBe(2);
    expect(positionOf([2, 5, 9], 99)).toBe(2);
    expect(positionOf([], 3)).toBe(0);
  });
});

describe('names in a summary', () => {
  it('are read with their counts', () => {
    expect([...namesIn('8 HMMA.16816 · 2 LDSM · 5 int')]).toEqual([['HMMA.16816', 8], ['LDSM', 2], ['int', 5]]);
    expect(namesIn('').size).toBe(0);
  });
});
