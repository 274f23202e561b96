import { describe, expect, it } from 'vitest';
import { compare, signed } from '../../src/shared/compare';
import { captured } from './data';

describe('the difference of two targets', () => {
  const t4 = captured('sm_75.sass');
  const a100 = captured('sm_80.sass');
  const found = compare(t4, a100);

  it('is told first in one line', () => {
    expect(found.summary).toContain('HMMA.1688 → HMMA.16816');
    expect(found.summary).toContain('−8 tensor');
    expect(found.summary).toContain('+10 async');
    expect(found.summary).toMatch(/^−6 registers/);
    expect(found.summary).not.toContain('\n');
  });

  it('is aligned by source line', () => {
    const product = found.lines.find(({ line }) => line === 22)!;
    expect(product.before).toContain('16 HMMA.1688');
    expect(product.after).toContain('8 HMMA.16816');
    expect(product.changes.tensor).toBe(-8);
    expect(product.code.after.filter(({ opcode }) => opcode === 'HMMA')).toHaveLength(8);
    expect(found.lines.map(({ line }) => line)).toEqual([...found.lines.map(({ line }) => line)].sort((a, b) => a - b));
  });

  it('adds up: each instruction of a source line is counted once', () => {
    const shown = found.lines.reduce((sum, { code }) => sum + code.after.length, 0);
    const mapped = a100.mix.reduce((sum, { classes }) => sum + Object.values(classes).reduce((total, count) => total + count, 0), 0);
    expect(shown).toBe(mapped);
  });

  it('is nothing for a listing and itself', () => {
    const same = compare(t4, t4);
    expect(same.summary).toBe('no difference');
    expect(same.lines.every((line) => line.same && Object.keys(line.changes).length === 0)).toBe(true);
  });
});

it('writes changes with their sign', () => {
  expect([3, -2, 0].map(signed)).toEqual(['+3', '−2', '0']);
});
