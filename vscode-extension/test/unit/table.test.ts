import { describe, expect, it } from 'vitest';
import { asCsv, asMarkdown, factsOf, nameOf, type TableCell, type TableRow, type TargetsTable } from '../../src/shared/table';

const place = { uri: 'file:///k.py', range: { start: { line: 7, character: 0 }, end: { line: 7, character: 0 } } };
const cell = (target: string, more: Partial<TableCell> = {}): TableCell => ({
  target, arch: 'sm_75', verdict: 'error', sharedBytes: 98304, sharedLimit: 49152, registers: 160, threads: 128,
  blocksPerSm: 0, limiter: 'shared memory', errors: ['shared-memory-overflow'], buffers: [], ...more,
});
const row = (more: Partial<TableRow> = {}): TableRow => ({
  kernel: 'main', line: 8, instance: 0, launch: 0, arguments: 'M=1024, name="a|b"', certain: true, shown: true, grid: '8x8', block: '128', place,
  cells: [cell('T4'), cell('A100', { arch: 'sm_80', verdict: 'ok', sharedLimit: 166912, blocksPerSm: 1, errors: [] })], ...more,
});
const table = (...rows: TableRow[]): TargetsTable => ({ targets: ['T4', 'A100'], rows, leftOut: 0, unchecked: [] });

describe('cells', () => {
  it('say what does not fit, and what limits the occupancy', () => {
    const [t4, a100] = row().cells;
    expect(factsOf(t4!)).toEqual(['96 KiB of 48 KiB', '160 registers', 'shared-memory-overflow']);
    expect(factsOf(a100!)).toEqual(['96 KiB', '160 registers', '1 block/SM (shared memory)']);
  });

  it('leave out what is not known', () => {
    expect(factsOf(cell('T4', { sharedBytes: null, registers: null, errors: [] }))).toEqual([]);
  });
});

describe('rows', () => {
  it('are numbered only where there are several', () => {
    const [first, second] = [row(), row({ instance: 1 })];
    expect(nameOf(first, [first])).toBe('main');
    expect([first, second].map((each) => nameOf(each, [first, second]))).toEqual(['main #1', 'main #2']);
    const launch = row({ launch: 1 });
    expect(nameOf(launch, [first, launch])).toBe('main launch 2');
  });
});

describe('exports', () => {
  it('are CSV with quotes where they are needed', () => {
    const lines = asCsv(table(row()), 'k.py').split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[1]).toBe('k.py,8,main,"M=1024, name=""a|b""",8x8,128,T4,sm_75,error,98304,49152,160,0,shared memory,shared-memory-overflow');
  });

  it('give a spreadsheet no formulas', () => {
    expect(asCsv(table(row({ arguments: '=1+1' })), 'k.py')).toContain("'=1+1");
  });

  it('are Markdown with one line a kernel', () => {
    const text = asMarkdown(table(row()), 'k.py');
    expect(text).toContain('| kernel | arguments | T4 | A100 |');
    expect(text).toContain('name="a\\|b"');
    expect(text).toContain('✗ 96 KiB of 48 KiB, 160 registers, shared-memory-overflow');
  });
});
