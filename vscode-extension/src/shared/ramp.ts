/** A colour ramp whose brightness grows evenly, so that it reads without seeing hues (the stops are those of viridis). */
const STOPS = ['#440154', '#414487', '#2a788e', '#22a884', '#7ad151', '#fde725'] as const;

/** The colour at a place from 0 to 1, as red, green and blue. */
export function ramp(at: number): [number, number, number] {
  const place = Math.min(1, Math.max(0, at)) * (STOPS.length - 1);
  const low = Math.min(STOPS.length - 2, Math.floor(place));
  const [from, to] = [rgb(STOPS[low]!), rgb(STOPS[low + 1]!)];
  return [0, 1, 2].map((part) => Math.round(from[part]! + (to[part]! - from[part]!) * (place - low))) as [number, number, number];
}

export function rgb(color: string): [number, number, number] {
  return [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16)) as [number, number, number];
}

/** Mix with black (below 0) or white (above 0). */
export function shade([red, green, blue]: [number, number, number], by: number): [number, number, number] {
  const towards = by < 0 ? 0 : 255;
  return [red, green, blue].map((part) => Math.round(part + (towards - part) * Math.abs(by))) as [number, number, number];
}

/** Whether dark text reads better on a colour (relative luminance as in WCAG 2). */
export function isBright([red, green, blue]: [number, number, number]): boolean {
  const linear = [red, green, blue].map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]! > 0.179;
}
