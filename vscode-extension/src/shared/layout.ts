/** The picture of a tile as the server sends it (`tilelang/layout`), and questions about it. */
import type { Location } from './place';

export interface TileLayout {
  kind: 'fragment' | 'shared';
  name: string;
  dtype: string;
  bits: number;
  scope: string;
  target: string;
  targets: string[];
  kernel: string;
  wholeShape: number[];
  shape: number[];
  formula: string;
  reason: string;
  span: Location;
  claimedAt: Location | null;
  /** `replicate` of them for each element, side by side. */
  threads: number[];
  registers: number[];
  replicate: number;
  threadCount: number;
  registerCount: number;
  addresses: number[];
  placed: boolean;
  copies: number;
  bytes: number;
  operand: boolean;
}

export interface NoLayout {
  problem: string;
  tiles: [string, Location][];
}

export type LayoutAnswer = TileLayout | NoLayout;

export function isLayout(answer: LayoutAnswer): answer is TileLayout {
  return 'kind' in answer;
}

/** The threads that hold an element. */
export function threadsOf(layout: TileLayout, element: number): number[] {
  return layout.threads.slice(element * layout.replicate, (element + 1) * layout.replicate);
}

/** The elements of one thread, by register. */
export function elementsOf(layout: TileLayout, thread: number): number[] {
  const found = new Set<number>();
  layout.threads.forEach((each, index) => {
    if (each === thread) found.add(Math.floor(index / layout.replicate));
  });
  return [...found].sort((left, right) => (layout.registers[left] ?? 0) - (layout.registers[right] ?? 0));
}
