/** Documentation of an instruction beside the pointer. */
import { documentationOf } from '../shared/instructions';
import type { ListingLine } from '../shared/listing';
import { element } from './dom';

const DELAY_MS = 250;

export class Tip {
  private shown: HTMLElement | undefined;
  private timer: number | undefined;

  over(line: ListingLine, stage: string, places: string, event: MouseEvent): void {
    this.hide();
    this.timer = window.setTimeout(() => this.show(line, stage, places, event.clientX, event.clientY), DELAY_MS);
  }

  hide(): void {
    window.clearTimeout(this.timer);
    this.shown?.remove();
    this.shown = undefined;
  }

  private show(line: ListingLine, stage: string, places: string, x: number, y: number): void {
    const found = documentationOf(line, stage);
    if (!found && !places) return;
    this.shown = element(
      'div',
      { id: 'tip', role: 'tooltip' },
      ...(found ? [element('code', {}, element('b', {}, found.title)), element('div', {}, found.text)] : []),
      ...(found?.details.length ? [element('ul', {}, ...found.details.map((each) => element('li', {}, each)))] : []),
      places ? element('div', { class: 'muted' }, places) : '',
    );
    document.body.append(this.shown);
    const { width, height } = this.shown.getBoundingClientRect();
    this.shown.style.left = `${Math.max(4, Math.min(x + 12, window.innerWidth - width - 8))}px`;
    this.shown.style.top = `${y + 22 + height > window.innerHeight ? Math.max(4, y - height - 10) : y + 22}px`;
  }
}
