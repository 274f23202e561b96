/** The assembly view: a listing beside its source lines, or what differs between two. */
import './assembly.css';
import { DEFAULT_FILTERS, positionOf, visibleLines, type Filters } from '../shared/filter';
import { keyOf, SourceMap, type ListingLine, type Place } from '../shared/listing';
import type { FromAssembly, Other, Shown, ToAssembly } from '../shared/messages';
import { BAND_ALPHA, BANDS, groupOf, GROUPS, partsOf, withAlpha } from '../shared/palette';
import { factsOfFunction, memoryMap } from '../shared/resources';
import { differenceOf } from './difference';
import { element, menu } from './dom';
import { Tip } from './tip';
import { VirtualList } from './virtual';

interface State {
  filters: Filters;
  /** The first line in sight, by stage. */
  tops: Record<string, number>;
}

const host = acquireVsCodeApi<State>();
const tell = (message: FromAssembly): void => host.postMessage(message);
const STAGES: Record<string, string> = { 'tile-ir': 'Tile IR', tir: 'TIR', cuda: 'CUDA', ptx: 'PTX', sass: 'SASS', isa: 'ISA', cpu: 'CPU' };
const MINOR = new Set(['int', 'move', 'constant', 'control']);
const BEFORE = 'before';

const state: State = host.getState() ?? { filters: DEFAULT_FILTERS, tops: {} };
let shown: Shown | undefined;
let map: SourceMap | undefined;
let visible: number[] = [];
let status: Extract<ToAssembly, { type: 'state' }> = { type: 'state', busy: true, stale: false, problem: '', canInstall: false };
let other: { value: string; label: string; document?: Shown['document']; reason?: string } | undefined;
/** The source lines that are marked, and the line of the listing that was clicked. */
let cursor: { file: number; from: number; to: number } | undefined;
let clicked: number | undefined;

const tip = new Tip();
const list = new VirtualList(rowAt, 'Generated code');
const stateLine = element('span', { id: 'state', role: 'status' });
const source = element('aside', { id: 'source', 'aria-label': 'Source lines' });
list.view.addEventListener('scroll', () => {
  tip.hide();
  if (!shown) return;
  state.tops[shown.stage] = visible[Math.floor(list.top)] ?? 0;
  host.setState(state);
});
list.view.addEventListener('keydown', pressed);
list.view.addEventListener('mouseover', (event) => {
  const index = indexOf(event);
  const line = index === undefined ? undefined : shown?.document.lines[index];
  if (line && shown) tip.over(line, shown.stage, placesText(index!), event);
});
list.view.addEventListener('mouseleave', () => tip.hide());
list.view.addEventListener('click', (event) => {
  const index = indexOf(event);
  if (index !== undefined) choose(index, false);
});
list.view.addEventListener('dblclick', (event) => {
  const index = indexOf(event);
  if (index !== undefined) choose(index, true);
});

window.addEventListener('message', ({ data }: MessageEvent<ToAssembly>) => {
  switch (data.type) {
    case 'listing':
      return showListing(data.shown);
    case 'state':
      status = data;
      return shown ? showState() : layOut();
    case 'cursor':
      return follow(data);
    case 'compare':
      if (other) other = { value: other.value, label: data.label, document: data.document };
      return layOut();
    case 'compareWith':
      other = { value: data.value, label: data.value };
      return;
    case 'noCompare':
      if (other) other = { value: other.value, label: other.label, reason: data.reason };
      return layOut();
  }
});
tell({ type: 'ready' });

// --- what is shown ---------------------------------------------------------------------------------------------------

function showListing(next: Shown): void {
  const sameStage = shown?.stage === next.stage;
  // Lines have moved, but what was in sight stays in sight: by the source line that it came from.
  const anchor = sameStage ? anchorOf() : undefined;
  shown = next;
  map = new SourceMap(next.document);
  clicked = undefined;
  filter();
  layOut();
  const top = anchor ? positionFor(anchor) : positionOf(visible, state.tops[next.stage] ?? 0);
  list.top = top;
  mark(false);
}

/** The line at the top, so that it can be found in another version: the nth one of its source line. */
function anchorOf(): { place: Place | undefined; nth: number; index: number; text: string; rest: number } | undefined {
  const index = visible[Math.floor(list.top)];
  if (index === undefined || !map || !shown) return undefined;
  const place = map.placesOf(index)[0];
  return { place, nth: place ? map.linesOf(place).indexOf(index) : 0, index, text: shown.document.lines[index]!.text, rest: list.top % 1 };
}

function positionFor({ place, nth, index, text, rest }: NonNullable<ReturnType<typeof anchorOf>>): number {
  if (shown?.document.lines[index]?.text === text) return positionOf(visible, index) + rest;
  const lines = place && map ? map.linesOf(place) : [];
  return positionOf(visible, lines[Math.min(nth, lines.length - 1)] ?? index) + rest;
}

function filter(): void {
  visible = shown ? visibleLines(shown.document.lines, shown.stage, state.filters) : [];
  list.setCount(visible.length);
}

/** The page as a whole. The list keeps its place. */
function layOut(): void {
  tip.hide();
  if (!shown || !map) {
    document.body.replaceChildren(element('header', {}, element('h1', {}, 'Assembly'), stateLine), ...problemBox());
    showState();
    return;
  }
  const top = list.top;
  const comparing = other?.document !== undefined || other?.reason !== undefined;
  const parts: HTMLElement[] = [header(shown), ...problemBox()];
  if (!comparing) parts.push(card(shown), element('main', {}, source, list.view));
  else if (other?.document) parts.push(...differenceOf(other.label, other.document, shown, cursor, (place) => tell({ type: 'select', ...place, go: true })));
  else parts.push(element('p', { class: 'empty' }, other!.reason!));
  document.body.replaceChildren(...parts);
  list.top = top;
  showState();
  showSource();
  list.refresh();
}

function problemBox(): HTMLElement[] {
  if (!status.problem) return [];
  const actions = status.canInstall
    ? [element('button', { onclick: () => tell({ type: 'install' }) }, 'Install Compiler Packages')]
    : [element('button', { onclick: () => tell({ type: 'retry' }) }, 'Try Again')];
  return [element('div', { id: 'problem', role: 'alert' }, `${status.problem} `, ...actions)];
}

function showState(): void {
  const old = document.getElementById('problem');
  if (Boolean(old) !== Boolean(status.problem) || (old && !old.textContent?.startsWith(status.problem))) {
    old?.remove();
    document.querySelector('header')?.after(...problemBox());
  }
  stateLine.replaceChildren(
    ...(status.stale ? [element('span', { class: 'badge stale', title: 'The source has changed since' }, 'stale')] : []),
    ...(status.busy ? [element('span', { class: 'badge' }, 'compiling …')] : []),
    ...(!status.busy && !status.stale && shown ? [element('span', { class: 'muted', title: shown.document.notes.join('\n') }, stateText(shown))] : []),
  );
}

function stateText({ document: { mapped, notes }, seconds }: Shown): string {
  const share = `${Math.round(mapped.share * 1000) / 10} % of ${mapped.of} mapped`;
  return [share, seconds > 0 ? `${seconds.toFixed(1)} s` : '', notes.length ? 'see notes' : ''].filter(Boolean).join(' · ');
}

function header(of: Shown): HTMLElement {
  const choices = new Map(of.choices.map(({ label }, index) => [String(index), label]));
  const targets = new Map(of.targets.map(({ arch, label }) => [arch, label.toLowerCase() === arch ? arch : `${label} (${arch})`]));
  const tabs = of.stages.map((stage) =>
    element('button', { role: 'tab', 'aria-selected': String(stage === of.stage), 'data-stage': stage, onclick: () => tell({ type: 'choose', stage }) }, STAGES[stage] ?? stage.toUpperCase()),
  );
  return element(
    'header',
    {},
    menu('Kernel', choices, String(of.chosen), (value) => tell({ type: 'choose', chosen: Number(value) })),
    menu('Target', targets, of.target, (target) => tell({ type: 'choose', target })),
    element('div', { id: 'tabs', role: 'tablist' }, ...tabs),
    menu('Compare with', compareChoices(of), other?.value ?? '', compareWith),
    element('div', { id: 'filters' }, ...filterBoxes(of)),
    element('span', { class: 'grow' }),
    stateLine,
  );
}

function compareChoices(of: Shown): Map<string, string> {
  const choices = new Map([['', 'compare with …']]);
  for (const { arch, label } of of.targets) if (arch !== of.target) choices.set(`target:${arch}`, `target ${label}`);
  const mine = of.choices[of.chosen];
  of.choices.forEach((each, index) => {
    if (index !== of.chosen && each.kernel === mine?.kernel && each.line === mine.line) choices.set(`instance:${each.instance}`, each.label);
  });
  choices.set(BEFORE, 'the listing before the last change');
  return choices;
}

function compareWith(value: string): void {
  const [kind, which] = value.split(':');
  const chosen: Other | undefined =
    kind === 'target' ? { kind, target: which! } : kind === 'instance' ? { kind, instance: Number(which) } : kind === BEFORE ? { kind: BEFORE } : undefined;
  other = chosen && { value, label: value };
  tell({ type: 'compare', other: chosen });
  if (!chosen) layOut();
}

function filterBoxes(of: Shown): HTMLElement[] {
  const boxes: [keyof Filters, string][] = [['directives', 'directives'], ['comments', 'comments'], ['padding', 'padding'], ['addresses', 'int and moves']];
  const isProgram = !of.document.lines.some(({ kind }) => kind === 'instruction');
  return boxes
    .filter(([name]) => !isProgram || name === 'comments')
    .map(([name, label]) => {
      const box = element('input', { type: 'checkbox', 'data-filter': name, onchange: () => toggle(name, box.checked) });
      box.checked = state.filters[name];
      return element('label', {}, box, label);
    });
}

function toggle(name: keyof Filters, on: boolean): void {
  const first = visible[Math.floor(list.top)] ?? 0;
  state.filters = { ...state.filters, [name]: on };
  host.setState(state);
  filter();
  list.top = positionOf(visible, first);
}

function card(of: Shown): HTMLElement {
  const main = of.document.functions.reduce<Shown['document']['functions'][number] | undefined>((most, each) => ((each.registers ?? -1) > (most?.registers ?? -1) ? each : most), undefined);
  const facts = (main ? factsOfFunction(main) : []).map(({ name, value, bad }) => element('span', { class: 'fact', 'data-fact': name }, element('span', { class: 'name' }, name), element('b', { class: bad ? 'bad' : '' }, value)));
  const total = main ? (main.static_shared ?? 0) + (main.dynamic_shared ?? 0) : 0;
  const parts = memoryMap(of.buffers, total);
  const whole = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const memory = parts.map(({ label, bytes, buffer }) =>
    element('i', { style: `width: ${(100 * bytes) / whole}%; background: ${buffer < 0 ? '#8c8c8c' : BANDS[(buffer * 2 + 4) % BANDS.length]}`, title: `${label}: ${bytes} B` }, label),
  );
  const children = facts.length ? facts : [element('span', { class: 'muted' }, of.document.summary)];
  return element('section', { id: 'card', 'aria-label': 'Resources' }, ...children, parts.length > 0 && total > 0 && element('div', { id: 'memory', 'aria-label': 'Shared memory of a block' }, ...memory));
}

// --- source lines ----------------------------------------------------------------------------------------------------

function showSource(): void {
  if (!shown || !map) return;
  const most = Math.max(1, ...shown.document.mix.map(({ classes }) => Object.values(classes).reduce((sum, count) => sum + count, 0)));
  const legend = element('div', { id: 'legend' }, ...GROUPS.map(({ label, color }) => element('span', {}, element('i', { style: `background: ${color}` }), label)));
  const entries = shown.document.mix.map((mix) => {
    const parts = partsOf(mix.classes);
    const total = parts.reduce((sum, { count }) => sum + count, 0);
    const bar = parts.map(({ label, color, count }) => element('i', { style: `width: ${(100 * count) / total}%; background: ${color}`, title: `${count} ${label}` }));
    return element(
      'button',
      { class: `entry${isMarked(mix) ? ' current' : ''}`, style: bandStyle(mix), 'data-line': mix.line, title: mix.text, onclick: () => pick(mix) },
      element('code', {}, element('span', { class: 'number' }, String(mix.line)), (shown!.source[keyOf(mix)] ?? '').trim()),
      total > 0 && element('div', { class: 'bar', style: `width: ${Math.max(6, (100 * total) / most)}%` }, ...bar),
      element('div', { class: 'mix' }, mix.text),
    );
  });
  const top = source.scrollTop;
  source.replaceChildren(...(shown.document.mix.some(({ classes }) => Object.keys(classes).length) ? [legend] : []), ...entries);
  source.scrollTop = top;
}

function pick({ file, line }: Place): void {
  cursor = { file, from: line, to: line };
  clicked = undefined;
  mark(true);
  tell({ type: 'select', file, line, go: false });
}

function bandStyle(place: Place | undefined): string {
  const band = map?.bandOf(place, BANDS.length);
  if (band === undefined) return '';
  const alpha = document.body.classList.contains('vscode-light') || document.body.classList.contains('vscode-high-contrast-light') ? BAND_ALPHA.light : BAND_ALPHA.dark;
  return `background-color: ${withAlpha(BANDS[band]!, alpha)}; border-left-color: ${BANDS[band]}`;
}

function isMarked({ file, line }: Place): boolean {
  return cursor !== undefined && cursor.file === file && line >= cursor.from && line <= cursor.to;
}

// --- lines of the listing --------------------------------------------------------------------------------------------

function rowAt(position: number): HTMLElement {
  const index = visible[position]!;
  const line = shown!.document.lines[index]!;
  const places = map!.placesOf(index);
  const classes = ['row', line.kind];
  if (line.class && MINOR.has(line.class)) classes.push('minor');
  if (places.some(isMarked)) classes.push('current');
  if (index === clicked) classes.push('at');
  return element(
    'div',
    { class: classes.join(' '), role: 'option', 'aria-selected': String(places.some(isMarked)), style: bandStyle(places[0]), 'data-index': index },
    element('span', { class: 'number' }, places[0] ? String(places[0].line) : ''),
    ...(line.address === undefined ? [] : [element('span', { class: 'address' }, line.address.toString(16).padStart(4, '0'))]),
    textOf(line),
  );
}

/** The text with its opcode in the colour of its work. */
function textOf(line: ListingLine): HTMLElement {
  const text = line.kind === 'instruction' ? line.text.trim() : line.text;
  const at = line.opcode ? text.indexOf(line.opcode) : -1;
  if (at < 0) return element('span', { class: 'text' }, text);
  const end = at + /^\S*/.exec(text.slice(at))![0].length;
  return element('span', { class: 'text' }, text.slice(0, at), element('span', { class: `op ${groupOf(line.class)}` }, text.slice(at, end)), text.slice(end));
}

function placesText(index: number): string {
  const places = map?.placesOf(index) ?? [];
  if (!places.length) return shown?.document.lines[index]?.kind === 'instruction' ? 'From no source line.' : '';
  return `From line ${places.map((place) => `${place.line}: ${(shown!.source[keyOf(place)] ?? '').trim()}`).join('; inlined in line ')}`;
}

function indexOf(event: Event): number | undefined {
  const row = event.target instanceof Element ? event.target.closest<HTMLElement>('.row') : null;
  return row?.dataset['index'] === undefined ? undefined : Number(row.dataset['index']);
}

/** A line of the listing is chosen: its source line is marked here and in the editor. `go`: the editor gets the focus. */
function choose(index: number, go: boolean): void {
  clicked = index;
  const place = map?.placesOf(index)[0];
  if (place) {
    cursor = { file: place.file, from: place.line, to: place.line };
    tell({ type: 'select', ...place, go });
  }
  mark(false);
}

function follow({ file, from, to }: Extract<ToAssembly, { type: 'cursor' }>): void {
  const same = cursor?.file === file && cursor.from === from && cursor.to === to;
  if (same) return;
  cursor = { file, from, to };
  clicked = undefined;
  mark(true);
}

/** Show the marks anew. `reveal`: bring the first marked line into sight, unless one is. */
function mark(reveal: boolean): void {
  for (const entry of source.querySelectorAll<HTMLElement>('.entry')) {
    const marked = isMarked({ file: shown?.document.python[0] ?? 0, line: Number(entry.dataset['line']) });
    entry.classList.toggle('current', marked);
    if (marked && reveal) entry.scrollIntoView({ block: 'nearest' });
  }
  list.refresh();
  if (!reveal || !map || !cursor) return;
  const positions = map.linesOfRange(cursor.file, cursor.from, cursor.to).map((index) => ({ index, position: positionOf(visible, index) })).filter(({ index, position }) => visible[position] === index);
  const inSight = positions.some(({ position }) => position >= list.top && position < list.top + list.view.clientHeight / 19 - 1);
  if (!inSight && positions[0]) list.reveal(positions[0].position);
  if (other?.document) layOut();
}

function pressed(event: KeyboardEvent): void {
  const position = positionOf(visible, clicked ?? visible[Math.floor(list.top)] ?? 0);
  if (event.key === 'Enter' && clicked !== undefined) return choose(clicked, true);
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const next = Math.min(visible.length - 1, Math.max(0, clicked === undefined ? position : position + step));
  choose(visible[next]!, false);
  list.reveal(next);
}
