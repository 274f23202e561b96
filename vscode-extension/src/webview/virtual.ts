/** A list of many rows of one height: only those in sight are in the page. */
import { element } from './dom';

const HEIGHT = 19;
const MORE = 12;

export class VirtualList {
  readonly view: HTMLDivElement;
  private readonly rows: HTMLDivElement;
  private count = 0;
  private readonly made = new Map<number, HTMLElement>();

  /** `make` gives the row of a position. */
  constructor(
    private readonly make: (position: number) => HTMLElement,
    label: string,
  ) {
    this.rows = element('div', { id: 'rows' });
    this.view = element('div', { id: 'code', class: 'mono', role: 'listbox', tabindex: 0, 'aria-label': label }, this.rows);
    this.view.addEventListener('scroll', () => this.render());
    new ResizeObserver(() => this.render()).observe(this.view);
  }

  /** Other rows. The place stays. */
  setCount(count: number): void {
    this.count = count;
    this.rows.style.height = `${count * HEIGHT}px`;
    this.refresh();
  }

  /** The same rows, made anew. */
  refresh(): void {
    this.made.clear();
    this.rows.replaceChildren();
    this.render();
  }

  get top(): number {
    return this.view.scrollTop / HEIGHT;
  }

  set top(position: number) {
    this.view.scrollTop = position * HEIGHT;
  }

  /** Scroll as little as needed to see a row; one that is out of sight comes to the upper third. */
  reveal(position: number): void {
    const [first, last] = [this.top, this.top + this.view.clientHeight / HEIGHT - 1];
    if (position >= first && position <= last) return;
    this.top = Math.max(0, position - Math.floor((last - first) / 3));
  }

  private render(): void {
    const first = Math.max(0, Math.floor(this.top) - MORE);
    const last = Math.min(this.count, Math.ceil(this.top + this.view.clientHeight / HEIGHT) + MORE);
    for (const [position, row] of this.made) {
      if (position >= first && position < last) continue;
      row.remove();
      this.made.delete(position);
    }
    for (let position = first; position < last; position++) {
      if (this.made.has(position)) continue;
      const row = this.make(position);
      row.style.top = `${position * HEIGHT}px`;
      row.dataset['position'] = String(position);
      this.made.set(position, row);
      this.rows.append(row);
    }
  }
}
