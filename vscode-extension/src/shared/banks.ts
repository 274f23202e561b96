/**
 * Banks of shared memory: 32 of 4 bytes each on every CUDA device. Threads that reach different 4-byte words of one bank
 * in one pass are served one after the other. An access of more than 4 bytes a thread is done in passes of 128 bytes:
 * 8 bytes by half a warp, 16 bytes by a quarter (CUDA C++ Programming Guide, "Shared Memory").
 */
export const BANKS = 32;
export const WORD = 4;

const PASS_BITS = BANKS * WORD * 8;

export function bankOf(address: number): number {
  return Math.floor(address / WORD) % BANKS;
}

export interface Tile {
  /** Rows and columns; a tile of another rank is shown as rows of its last dimension. */
  rows: number;
  columns: number;
  bits: number;
  /** Byte addresses in row-major order. */
  addresses: readonly number[];
}

export type Pattern = 'ldmatrix' | 'row' | 'column';

export interface Conflicts {
  /** The most passes that one access takes; 1: free of conflicts. */
  worst: number;
  /** Accesses in all, and those that take more than one pass. */
  accesses: number;
  conflicting: number;
  /** For each element: how many passes its access takes. */
  ways: number[];
}

/** How many passes it takes to serve words at addresses, all at once. */
export function passes(addresses: Iterable<number>): number {
  const words = new Map<number, Set<number>>();
  for (const address of addresses) {
    const word = Math.floor(address / WORD);
    const bank = word % BANKS;
    const known = words.get(bank);
    if (known) known.add(word);
    else words.set(bank, new Set([word]));
  }
  return Math.max(1, ...[...words.values()].map(({ size }) => size));
}

/**
 * Conflicts of a tile under a pattern. `ldmatrix`: eight rows of 16 bytes, as matrix instructions load operands. `row`: threads
 * read 128 bytes side by side. `column`: 32 threads (fewer if elements have more than 4 bytes) read elements below each
 * other.
 */
export function conflicts(tile: Tile, pattern: Pattern): Conflicts {
  const ways = new Array<number>(tile.rows * tile.columns).fill(1);
  const found: Conflicts = { worst: 1, accesses: 0, conflicting: 0, ways };
  for (const elements of accesses(tile, pattern)) {
    const taken = passes(elements.map((element) => tile.addresses[element]!).filter((address) => address !== undefined));
    found.accesses++;
    if (taken > 1) found.conflicting++;
    found.worst = Math.max(found.worst, taken);
    for (const element of elements) ways[element] = taken;
  }
  return found;
}

/** The elements of each access of a pattern. */
function* accesses({ rows, columns, bits }: Tile, pattern: Pattern): Generator<number[]> {
  const [height, width] =
    pattern === 'ldmatrix' ? [8, Math.max(1, 128 / bits)] : pattern === 'row' ? [1, PASS_BITS / bits] : [Math.min(32, PASS_BITS / bits), 1];
  for (let top = 0; top < rows; top += height) {
    for (let left = 0; left < columns; left += width) {
      const elements: number[] = [];
      for (let row = top; row < Math.min(rows, top + height); row++) {
        for (let column = left; column < Math.min(columns, left + width); column++) elements.push(row * columns + column);
      }
      yield elements;
    }
  }
}

/** A shape as rows and columns: the last dimension are the columns. */
export function asMatrix(shape: readonly number[]): [number, number] {
  const columns = shape.at(-1) ?? 1;
  return [shape.slice(0, -1).reduce((product, extent) => product * extent, 1), columns];
}
