/** The picture of a tile: a cell for each element, coloured by thread, register or bank; conflicts are crossed out. */
import './layout.css';
import { asMatrix, BANKS, bankOf, conflicts, type Conflicts, type Pattern } from '../shared/banks';
import { elementsOf, isLayout, threadsOf, type LayoutAnswer, type TileLayout } from '../shared/layout';
import type { FromLayout, ToLayout } from '../shared/messages';
import { BANDS } from '../shared/palette';
import { isBright, ramp, rgb, shade } from '../shared/ramp';
import { element, menu } from './dom';

const host = acquireVsCodeApi<{ zoom?: number; color?: string; pattern?: Pattern }>();
const tell = (message: FromLayout): void => host.postMessage(message);
const WARP = 32;

type Coloring = 'thread' | 'register' | 'bank' | 'address';
const COLORINGS: Record<TileLayout['kind'], Map<string, string>> = {
  fragment: new Map([['thread', 'colour: thread'], ['register', 'colour: register']]),
  shared: new Map([['bank', 'colour: bank'], ['address', 'colour: address']]),
};
const PATTERNS = new Map<string, string>([
  ['ldmatrix', 'conflicts: ldmatrix (8 rows of 16 B)'],
  ['row', 'conflicts: threads along a row'],
  ['column', 'conflicts: threads down a column'],
]);

let layout: TileLayout | undefined;
let coloring: Coloring = 'thread';
let pattern: Pattern = host.getState()?.pattern ?? 'ldmatrix';
let zoom = host.getState()?.zoom ?? 0;
let current = 0;
let pinned: number | undefined;
let found: Conflicts | undefined;

const canvas = element('canvas', { tabindex: 0, role: 'img', onmousemove: hovered, onclick: clicked, onkeydown: pressed });
const picture = element('div', { id: 'picture' }, canvas);
const details = element('aside', { 'aria-live': 'polite' });

window.addEventListener('message', ({ data }: MessageEvent<ToLayout>) => show(data.answer));
new ResizeObserver(() => draw()).observe(picture);
tell({ type: 'ready' });

function show(answer: LayoutAnswer): void {
  if (!isLayout(answer)) {
    layout = undefined;
    const tiles = answer.tiles.map(([name, place]) => element('p', {}, element('button', { class: 'link', onclick: () => tell({ type: 'tile', place }) }, element('code', {}, name))));
    document.body.replaceChildren(element('div', { class: 'empty' }, `There is no layout here: ${answer.problem}.`, ...(tiles.length ? [element('p', {}, 'Tiles of this kernel:'), ...tiles] : [])));
    return;
  }
  const same = layout?.name === answer.name && layout.shape.join() === answer.shape.join();
  layout = answer;
  if (!same) {
    current = 0;
    pinned = undefined;
    coloring = answer.kind === 'fragment' ? 'thread' : 'bank';
    pattern = answer.operand ? 'ldmatrix' : pattern;
  }
  update();
}

function update(): void {
  if (!layout) return;
  const [rows, columns] = asMatrix(layout.shape);
  found = layout.kind === 'shared' ? conflicts({ rows, columns, bits: layout.bits, addresses: layout.addresses }, pattern) : undefined;
  document.body.replaceChildren(header(layout), element('main', {}, picture, details));
  draw();
  describe();
}

function header(of: TileLayout): HTMLElement {
  const kind = of.kind === 'fragment' ? 'registers' : 'shared memory';
  return element(
    'header',
    {},
    element('h1', {}, element('button', { class: 'link', onclick: () => tell({ type: 'reveal', place: of.span }) }, element('code', {}, of.name))),
    element('span', { class: 'muted' }, `${of.dtype}[${of.wholeShape.join(', ')}] in ${kind}`),
    element('span', { class: 'grow' }),
    menu('Target', new Map(of.targets.map((each) => [each, each])), of.target, (target) => tell({ type: 'target', target })),
    menu('Colour', COLORINGS[of.kind], coloring, (value) => {
      coloring = value as Coloring;
      update();
    }),
    of.kind === 'shared' &&
      menu('Access pattern', PATTERNS, pattern, (value) => {
        pattern = value as Pattern;
        keep();
        update();
      }),
    element('button', { onclick: () => setZoom(-1), 'aria-label': 'Smaller' }, '−'),
    element('button', { onclick: () => setZoom(1), 'aria-label': 'Larger' }, '+'),
  );
}

function keep(): void {
  host.setState({ zoom, pattern });
}

function setZoom(by: number): void {
  zoom = Math.max(3, Math.min(64, Math.round(cellSize() * (by > 0 ? 1.5 : 1 / 1.5))));
  keep();
  draw();
}

/** The side of a cell: what fits the view, unless the user has chosen. */
function cellSize(): number {
  if (!layout) return 8;
  if (zoom > 0) return zoom;
  const [rows, columns] = asMatrix(layout.shape);
  const fit = Math.min((picture.clientWidth - 24) / columns, (picture.clientHeight - 24) / rows);
  return Math.max(4, Math.min(28, Math.floor(fit)));
}

function colorOf(of: TileLayout, index: number): [number, number, number] {
  switch (coloring) {
    case 'thread': {
      const thread = of.threads[index * of.replicate] ?? 0;
      // A hue for each warp, brighter from lane to lane.
      return shade(rgb(BANDS[Math.floor(thread / WARP) % BANDS.length]!), ((thread % WARP) / WARP) * 1.2 - 0.6);
    }
    case 'register':
      return ramp((of.registers[index] ?? 0) / Math.max(1, of.registerCount - 1));
    case 'bank':
      return ramp(bankOf(of.addresses[index] ?? 0) / (BANKS - 1));
    case 'address':
      return ramp(((of.addresses[index] ?? 0) - (of.addresses[0] ?? 0)) / Math.max(1, (of.addresses.length * of.bits) / 8));
  }
}

function labelOf(of: TileLayout, index: number): string {
  if (of.kind === 'shared') return coloring === 'bank' ? String(bankOf(of.addresses[index] ?? 0)) : String(of.addresses[index] ?? '');
  return coloring === 'thread' ? String(of.threads[index * of.replicate] ?? '') : String(of.registers[index] ?? '');
}

/** The elements that are shown as belonging together with one: those of its thread, or of its bank. */
function partners(of: TileLayout, index: number): Set<number> {
  if (of.kind === 'fragment') return new Set(elementsOf(of, of.threads[index * of.replicate] ?? -1));
  const bank = bankOf(of.addresses[index] ?? 0);
  return new Set(of.addresses.flatMap((address, each) => (bankOf(address) === bank ? [each] : [])));
}

function draw(): void {
  if (!layout) return;
  const [rows, columns] = asMatrix(layout.shape);
  const size = cellSize();
  const scale = window.devicePixelRatio;
  canvas.width = columns * size * scale;
  canvas.height = rows * size * scale;
  canvas.style.width = `${columns * size}px`;
  canvas.style.height = `${rows * size}px`;
  canvas.setAttribute('aria-label', `${layout.name}, ${rows} × ${columns} elements`);
  const pen = canvas.getContext('2d')!;
  pen.scale(scale, scale);
  const gap = size >= 8 ? 1 : 0;
  const marked = pinned === undefined ? undefined : partners(layout, pinned);
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.font = `${Math.min(11, size * 0.45)}px sans-serif`;
  for (let index = 0; index < rows * columns; index++) {
    const [x, y] = [(index % columns) * size, Math.floor(index / columns) * size];
    const color = colorOf(layout, index);
    pen.globalAlpha = marked && !marked.has(index) ? 0.25 : 1;
    pen.fillStyle = `rgb(${color.join()})`;
    pen.fillRect(x, y, size - gap, size - gap);
    const ink = isBright(color) ? '#000' : '#fff';
    if (size >= 20) {
      pen.fillStyle = ink;
      pen.fillText(labelOf(layout, index), x + size / 2, y + size / 2);
    }
    if ((found?.ways[index] ?? 1) > 1) {
      pen.strokeStyle = ink;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(x + 1, y + size - gap - 1);
      pen.lineTo(x + size - gap - 1, y + 1);
      pen.stroke();
    }
  }
  pen.globalAlpha = 1;
  outline(pen, current, size, columns);
}

function outline(pen: CanvasRenderingContext2D, index: number, size: number, columns: number): void {
  const [x, y] = [(index % columns) * size, Math.floor(index / columns) * size];
  pen.lineWidth = 2;
  pen.strokeStyle = '#000';
  pen.strokeRect(x - 1, y - 1, size + 2, size + 2);
  pen.lineWidth = 1;
  pen.strokeStyle = '#fff';
  pen.strokeRect(x - 0.5, y - 0.5, size + 1, size + 1);
}

function describe(): void {
  if (!layout) return;
  const of = layout;
  const rows: [string, string][] = [['element', `[${indices(of, current).join(', ')}]`]];
  if (of.kind === 'fragment') {
    const threads = threadsOf(of, current);
    const [first] = threads;
    if (first !== undefined) {
      rows.push(['thread', threads.length > 4 ? `${threads.slice(0, 4).join(', ')} … (${threads.length})` : threads.join(', ')]);
      rows.push(['warp, lane', `${Math.floor(first / WARP)}, ${first % WARP}`], ['register', `${of.registers[current]} of ${of.registerCount}`]);
      rows.push(['held', `${elementsOf(of, first).length} elements by this thread`]);
    }
  } else {
    const address = of.addresses[current] ?? 0;
    rows.push(['address', `${address} B${of.placed ? '' : ' in the tile'}`], ['bank', String(bankOf(address))], ['word', String(Math.floor(address / 4))]);
    rows.push(['passes', `${found?.ways[current] ?? 1} for its access`]);
  }
  const summary =
    found && element('p', { id: 'conflicts', class: found.worst > 1 ? 'bad' : 'good' }, found.worst > 1 ? `${found.worst}-way conflicts in ${found.conflicting} of ${found.accesses} accesses` : `no conflicts in ${found.accesses} accesses`);
  details.replaceChildren(
    element('dl', {}, ...rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', { 'data-fact': name }, value)])),
    summary ?? "",
    ...scaleOf(of),
    element('dl', {}, ...facts(of).flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)])),
    element('p', { class: 'formula mono' }, of.formula),
    element('p', { class: 'muted' }, `${of.reason}. `, of.claimedAt ? element('button', { class: 'link', onclick: () => tell({ type: 'reveal', place: of.claimedAt! }) }, `line ${of.claimedAt.range.start.line + 1}`) : ''),
    element('p', { class: 'muted' }, of.kind === 'fragment' ? 'Click a cell to see all of its thread.' : 'Click a cell to see all of its bank. Crossed cells take more than one pass.'),
  );
}

function facts(of: TileLayout): [string, string][] {
  if (of.kind === 'fragment') return [['threads', String(of.threadCount)], ['registers', `${of.registerCount} elements a thread`], ['copies', `${of.replicate} of each element`]];
  const rows: [string, string][] = [['bytes', String(of.bytes)], ['copies', of.copies > 1 ? `${of.copies}; the first is shown` : '1']];
  if (of.shape.join() !== of.wholeShape.join()) rows.push(['shown', `the first [${of.shape.join(', ')}]`]);
  return rows;
}

function scaleOf(of: TileLayout): HTMLElement[] {
  if (coloring === 'thread') return [];
  const stops = Array.from({ length: 6 }, (_, index) => `rgb(${ramp(index / 5).join()})`).join(', ');
  const last = coloring === 'bank' ? `bank ${BANKS - 1}` : coloring === 'register' ? `register ${of.registerCount - 1}` : `${of.bytes} B`;
  const first = coloring === 'bank' ? 'bank 0' : coloring === 'register' ? 'register 0' : '0 B';
  return [element('div', { class: 'scale', style: `background: linear-gradient(to right, ${stops})` }), element('div', { class: 'scale-ends' }, element('span', {}, first), element('span', {}, last))];
}

function indices(of: TileLayout, index: number): number[] {
  const found: number[] = [];
  for (const extent of [...of.shape].reverse()) {
    found.unshift(index % extent);
    index = Math.floor(index / extent);
  }
  return found;
}

function cellAt(event: MouseEvent): number | undefined {
  if (!layout) return undefined;
  const [rows, columns] = asMatrix(layout.shape);
  const size = cellSize();
  const [column, row] = [Math.floor(event.offsetX / size), Math.floor(event.offsetY / size)];
  return column >= 0 && column < columns && row >= 0 && row < rows ? row * columns + column : undefined;
}

function hovered(event: MouseEvent): void {
  const cell = cellAt(event);
  if (cell !== undefined && cell !== current) select(cell);
}

function clicked(event: MouseEvent): void {
  const cell = cellAt(event);
  if (cell === undefined || !layout) return;
  pinned = pinned !== undefined && partners(layout, pinned).has(cell) ? undefined : cell;
  select(cell);
}

function pressed(event: KeyboardEvent): void {
  if (!layout) return;
  const [rows, columns] = asMatrix(layout.shape);
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
  if (event.key === 'Enter' || event.key === ' ') pinned = pinned === current ? undefined : current;
  else if (step === undefined) return;
  event.preventDefault();
  select(Math.min(rows * columns - 1, Math.max(0, current + (step ?? 0))));
}

function select(cell: number): void {
  current = cell;
  draw();
  describe();
}
