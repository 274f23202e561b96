/** Two listings line by line of the source, with what differs told first in one line. */
import { compare, signed, type LineComparison } from '../shared/compare';
import { GROUPS } from '../shared/palette';
import { CLASSES, keyOf, type ListingDocument, type ListingLine, type Place } from '../shared/listing';
import type { Shown } from '../shared/messages';
import { element } from './dom';

const open = new Set<string>();

/** `before`: what is compared with what is shown. */
export function differenceOf(
  label: string,
  before: ListingDocument,
  shown: Shown,
  cursor: { file: number; from: number; to: number } | undefined,
  go: (place: Place) => void,
): HTMLElement[] {
  const after = shown.document;
  const { summary, lines } = compare(before, after);
  const head = ['line', label, `${after.program} ${after.target}`, 'change'].map((text) => element('th', { scope: 'col' }, text));
  const body = element('tbody');
  for (const line of lines) {
    const place = { file: Math.max(0, after.files.indexOf(line.path)), line: line.line };
    const key = keyOf(place);
    const isCurrent = cursor?.file === place.file && line.line >= cursor.from && line.line <= cursor.to;
    const row = element(
      'tr',
      { class: `${line.same ? 'same' : ''} ${isCurrent ? 'current' : ''}`, 'data-line': line.line },
      element('td', {}, element('button', { class: 'link', onclick: () => go(place) }, String(line.line)), ' ', element('code', {}, (shown.source[key] ?? '').trim())),
      element('td', {}, line.before),
      element('td', {}, line.after),
      element('td', {}, ...changes(line)),
    );
    const detail = element('tr', { class: 'detail', hidden: !open.has(key) }, element('td'), code(line.code.before), code(line.code.after), element('td'));
    row.addEventListener('click', () => {
      detail.hidden = !detail.hidden;
      if (detail.hidden) open.delete(key);
      else open.add(key);
    });
    body.append(row, detail);
  }
  const table = element('table', {}, element('thead', {}, element('tr', {}, ...head)), body);
  return [element('div', { id: 'summary' }, summary), element('div', { id: 'difference' }, table, element('p', { class: 'empty' }, 'Click a row to see its instructions on both sides.'))];
}

function changes(line: LineComparison): HTMLElement[] {
  const colors = new Map(GROUPS.flatMap(({ color, classes }) => classes.map((each) => [each as string, color])));
  return CLASSES.filter((kind) => line.changes[kind]).map((kind) =>
    element('span', { class: 'change' }, element('i', { style: `display: inline-block; width: 8px; height: 8px; border-radius: 2px; background: ${colors.get(kind)}` }), ` ${signed(line.changes[kind]!)} ${kind}`),
  );
}

function code(lines: readonly ListingLine[]): HTMLElement {
  return element('td', {}, element('pre', { class: 'mono' }, lines.map(({ text }) => text.trim()).join('\n')));
}
