import { describe, expect, it } from 'vitest';
import { asMatrix, bankOf, conflicts, passes, type Tile } from '../../src/shared/banks';

/** A tile of float16, row-major, with rows of some bytes. */
function rowMajor(rows: number, columns: number, stride = columns * 2): Tile {
  return { rows, columns, bits: 16, addresses: Array.from({ length: rows * columns }, (_, index) => Math.floor(index / columns) * stride + (index % columns) * 2) };
}

describe('banks', () => {
  it('are 32 words of 4 bytes', () => {
    expect([0, 3, 4, 124, 128, 132].map(bankOf)).toEqual([0, 0, 1, 31, 0, 1]);
  });

  it('serve one word to many threads in one pass', () => {
    expect(passes([0, 0, 2, 3])).toBe(1);
    expect(passes([0, 128, 256])).toBe(3);
    expect(passes([])).toBe(1);
  });

  it('conflict eight ways when ldmatrix reads rows of 128 bytes', () => {
    const found = conflicts(rowMajor(16, 64), 'ldmatrix');
    expect(found.worst).toBe(8);
    expect(found.conflicting).toBe(found.accesses);
    expect(found.ways.every((ways) => ways === 8)).toBe(true);
  });

  it('do not conflict when rows are padded by 16 bytes or swizzled', () => {
    expect(conflicts(rowMajor(16, 64, 144), 'ldmatrix').worst).toBe(1);
    const plain = rowMajor(16, 64);
    const swizzled = { ...plain, addresses: plain.addresses.map((address) => address ^ ((Math.floor(address / 128) % 8) * 16)) };
    expect(conflicts(swizzled, 'ldmatrix')).toMatchObject({ worst: 1, conflicting: 0, accesses: 16 });
  });

  it('depend on the pattern', () => {
    const tile: Tile = { rows: 32, columns: 32, bits: 32, addresses: Array.from({ length: 1024 }, (_, index) => index * 4) };
    expect(conflicts(tile, 'row').worst).toBe(1);
    expect(conflicts(tile, 'column').worst).toBe(32);
  });

  it('are those of eight bytes a thread by half a warp', () => {
    const tile: Tile = { rows: 16, columns: 16, bits: 64, addresses: Array.from({ length: 256 }, (_, index) => index * 8) };
    expect(conflicts(tile, 'row').worst).toBe(1);
    expect(conflicts(tile, 'column').worst).toBe(16);
  });
});

it('shows tiles of any rank as rows of their last dimension', () => {
  expect(asMatrix([2, 3, 4])).toEqual([6, 4]);
  expect(asMatrix([5])).toEqual([1, 5]);
});
