/** The targets table. */
import './targets.css';
import type { FromTargets, ToTargets } from '../shared/messages';
import { factsOf, kib, nameOf, signOf, type TableCell, type TargetsTable } from '../shared/table';
import { element } from './dom';

const host = acquireVsCodeApi();
const tell = (message: FromTargets): void => host.postMessage(message);

window.addEventListener('message', ({ data }: MessageEvent<ToTargets>) => {
  if (data.type === 'table') show(data.file, data.table);
});
tell({ type: 'ready' });

function show(file: string, table: TargetsTable): void {
  const exports = (['csv', 'markdown'] as const).map((format) =>
    element('button', { onclick: () => tell({ type: 'export', format }), 'data-export': format }, format === 'csv' ? 'Export CSV' : 'Export Markdown'),
  );
  const header = element('header', {}, element('h1', {}, file), element('span', { class: 'muted grow' }, summary(table)), ...exports);
  document.body.replaceChildren(header, table.rows.length ? grid(table) : element('p', { class: 'empty' }, 'No kernel of this file was evaluated.'), ...notes(table));
}

function summary({ rows, targets }: TargetsTable): string {
  const cells = rows.flatMap((row) => row.cells);
  const failing = cells.filter(({ verdict }) => verdict === 'error').length;
  return `${rows.length} kernel${rows.length === 1 ? '' : 's'} × ${targets.length} target${targets.length === 1 ? '' : 's'}: ${failing === 0 ? 'all fit' : `${failing} of ${cells.length} do not fit`}`;
}

function grid(table: TargetsTable): HTMLTableElement {
  const head = ['kernel', 'grid × block', ...table.targets].map((text) => element('th', { scope: 'col' }, text));
  const rows = table.rows.map((row) => {
    const name = element('button', { class: 'link', onclick: () => tell({ type: 'reveal', place: row.place }), title: `Go to line ${row.line}` }, element('code', {}, nameOf(row, table.rows)));
    return element(
      'tr',
      { class: row.shown ? 'shown' : '', 'data-kernel': row.kernel },
      element('td', {}, name, element('span', { class: 'muted' }, `  line ${row.line}`), element('div', { class: 'arguments' }, row.arguments)),
      element('td', { class: 'muted' }, `${row.grid} × ${row.block}`.replaceAll(' ', '\u00a0')),
      ...table.targets.map((target) => cellOf(row.cells.find((each) => each.target === target))),
    );
  });
  return element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows));
}

function cellOf(cell: TableCell | undefined): HTMLTableCellElement {
  if (!cell) return element('td');
  const share = cell.sharedBytes !== null && cell.sharedLimit ? cell.sharedBytes / cell.sharedLimit : undefined;
  const limit = share === undefined ? '' : `${kib(cell.sharedBytes!)} of ${kib(cell.sharedLimit!)} shared memory`;
  const buffers = cell.buffers.map((each) =>
    element('li', {}, each.place ? element('button', { class: 'link', onclick: () => tell({ type: 'reveal', place: each.place! }) }, each.name) : each.name, ` ${each.bytes === null ? '' : kib(each.bytes)}${each.copies > 1 ? ` (${each.copies} copies)` : ''}`),
  );
  return element(
    'td',
    { class: 'cell', 'data-target': cell.target, 'data-verdict': cell.verdict },
    element('span', { class: `verdict ${cell.verdict === 'ok' ? 'good' : cell.verdict === 'error' ? 'bad' : 'muted'}` }, signOf(cell.verdict)),
    element('span', { class: 'muted' }, ` ${cell.arch}`),
    share !== undefined && element('span', { class: 'fill', title: limit }, element('i', { class: share > 1 ? 'over' : '', style: `width: ${Math.min(100, share * 100)}%` })),
    element('ul', {}, ...factsOf(cell).map((fact) => element('li', {}, fact)), ...buffers),
  );
}

function notes({ leftOut, unchecked }: TargetsTable): HTMLElement[] {
  const texts = unchecked.map(([name, line, reason]) => `${name} (line ${line}) was not checked: ${reason}`);
  if (leftOut > 0) texts.push(`${leftOut} more instances are not shown.`);
  return texts.map((text) => element('p', { class: 'empty' }, text));
}
