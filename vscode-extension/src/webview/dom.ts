/** Elements from data. Texts are set as text, never as HTML. */

type Child = Node | string | undefined | false;
type Properties = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

/** `element('button', { class: 'link', onclick: … }, 'Copy')`. Handlers start with `on`. */
export function element<K extends keyof HTMLElementTagNameMap>(tag: K, properties: Properties = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') made.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== false && value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children.filter((child) => child !== undefined && child !== false));
  return made;
}

/** A menu. `labels` by value; calls back with the value that is chosen. */
export function menu(label: string, labels: Map<string, string>, chosen: string, choose: (value: string) => void): HTMLSelectElement {
  const select = element('select', { 'aria-label': label, title: label, onchange: () => choose(select.value) });
  for (const [value, text] of labels) select.append(element('option', { value }, text));
  select.value = chosen;
  return select;
}
