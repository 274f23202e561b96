import { expect, it } from 'vitest';
import { unusedLines } from '../../src/shared/unused';

const KERNEL = `def main(
    A: T.Tensor((M, K), dtype),
):
    tile = T.alloc_shared((8, 8), dtype)
    # a comment

    T.copy(
        A[0, 0],
        tile,
    )
    other = "(" + name
    T.copy(tile, A)
    return main`.split('\n');

it('dims what generated nothing, but no heads, comments or parts of statements with code', () => {
  expect(unusedLines(KERNEL, new Set([7, 12]), 1)).toEqual([4, 11]);
});

it('knows that a statement has code in any of its lines', () => {
  expect(unusedLines(KERNEL, new Set([9, 12]), 1)).toEqual([4, 11]);
});

it('dims nothing behind the last code, and nothing without code', () => {
  expect(unusedLines(KERNEL, new Set([4]), 1)).toEqual([]);
  expect(unusedLines(KERNEL, new Set(), 1)).toEqual([]);
});
