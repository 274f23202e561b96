/** Kernels × targets as the server sends them (`tilelang/table`), and as text for other programs. */
import type { Location } from './place';

export interface TableBuffer {
  name: string;
  bytes: number | null;
  copies: number;
  place: Location | null;
}

export interface TableCell {
  target: string;
  arch: string;
  verdict: string;
  sharedBytes: number | null;
  sharedLimit: number | null;
  registers: number | null;
  threads: number | null;
  blocksPerSm: number | null;
  limiter: string;
  errors: string[];
  buffers: TableBuffer[];
}

export interface TableRow {
  kernel: string;
  line: number;
  instance: number;
  launch: number;
  arguments: string;
  certain: boolean;
  shown: boolean;
  grid: string;
  block: string;
  place: Location;
  cells: TableCell[];
}

export interface TargetsTable {
  targets: string[];
  rows: TableRow[];
  leftOut: number;
  unchecked: [string, number, string][];
}

const SIGNS: Record<string, string> = { ok: '✓', error: '✗', warning: '!' };

export function signOf(verdict: string): string {
  return SIGNS[verdict] ?? '?';
}

/** A size in KiB if it is a whole number of them, else in bytes. */
export function kib(bytes: number): string {
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${String(bytes).replace(/\B(?=(\d{3})+$)/g, ' ')} B`;
}

/** `96 KiB of 48 KiB · 160 registers · 1 block/SM (shared memory)`, without what is not known. */
export function factsOf(cell: TableCell): string[] {
  const facts: string[] = [];
  if (cell.sharedBytes !== null) {
    facts.push(cell.sharedLimit !== null && cell.sharedBytes > cell.sharedLimit ? `${kib(cell.sharedBytes)} of ${kib(cell.sharedLimit)}` : kib(cell.sharedBytes));
  }
  if (cell.registers !== null) facts.push(`${cell.registers} registers`);
  if (cell.blocksPerSm !== null && cell.blocksPerSm > 0) {
    facts.push(`${cell.blocksPerSm} block${cell.blocksPerSm === 1 ? '' : 's'}/SM${cell.limiter ? ` (${cell.limiter})` : ''}`);
  }
  return [...facts, ...cell.errors];
}

/** The name of a row: the kernel, and which of its instances and launches if there are several. */
export function nameOf(row: TableRow, rows: readonly TableRow[]): string {
  const mine = rows.filter(({ kernel, line }) => kernel === row.kernel && line === row.line);
  const instance = mine.some((each) => each.instance !== row.instance) ? ` #${row.instance + 1}` : '';
  const launch = mine.some((each) => each.instance === row.instance && each.launch !== row.launch) ? ` launch ${row.launch + 1}` : '';
  return `${row.kernel}${instance}${launch}`;
}

/** One record for each kernel and target. */
export function asCsv(table: TargetsTable, file: string): string {
  const head = ['file', 'line', 'kernel', 'arguments', 'grid', 'block', 'target', 'arch', 'verdict', 'shared_bytes', 'shared_limit', 'registers_per_thread', 'blocks_per_sm', 'limiter', 'rules'];
  const records = table.rows.flatMap((row) =>
    row.cells.map((cell) => [
      file, row.line, nameOf(row, table.rows), row.arguments, row.grid, row.block, cell.target, cell.arch, cell.verdict,
      cell.sharedBytes, cell.sharedLimit, cell.registers, cell.blocksPerSm, cell.limiter, cell.errors.join(' '),
    ]),
  );
  return [head, ...records].map((record) => `${record.map(quoted).join(',')}\r\n`).join('');
}

/** As RFC 4180 has it. A text that a spreadsheet would take for a formula gets an apostrophe. */
function quoted(value: string | number | null): string {
  if (value === null) return '';
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function asMarkdown(table: TargetsTable, file: string): string {
  const line = (cells: string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`;
  const rows = table.rows.map((row) =>
    line([
      `${nameOf(row, table.rows)} (line ${row.line})`,
      row.arguments,
      ...table.targets.map((target) => {
        const cell = row.cells.find((each) => each.target === target);
        return cell ? [signOf(cell.verdict), factsOf(cell).join(', ')].join(' ').trim() : '';
      }),
    ]),
  );
  const head = line(['kernel', 'arguments', ...table.targets]);
  return `# ${file}\n\n${head}| ${['---', '---', ...table.targets.map(() => '---')].join(' | ')} |\n${rows.join('')}`;
}
