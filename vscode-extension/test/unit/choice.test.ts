import { describe, expect, it } from 'vitest';
import { entries, namesOf, type KnownArch } from '../../src/targets/choice';

const KNOWN: KnownArch[] = [
  { arch: 'sm_75', family: 'cuda', cards: ['t4'], sharedMemory: 49_152 },
  { arch: 'sm_80', family: 'cuda', cards: ['a100'], sharedMemory: 166_912 },
  { arch: 'sm_89', family: 'cuda', cards: ['l4', 'rtx4090'], sharedMemory: 101_376 },
  { arch: 'sm_90', family: 'cuda', cards: ['h100', 'h200'], sharedMemory: 232_448 },
  { arch: 'gfx942', family: 'rocm', cards: ['mi300x'], sharedMemory: null },
];

describe('the picker of targets', () => {
  it('offers groups, cards, and architectures by family', () => {
    const rows = entries(KNOWN, {}, []);
    expect(rows.filter(({ kind }) => kind === 'heading').map(({ label }) => label)).toEqual(['groups', 'cards', 'NVIDIA', 'AMD']);
    expect(rows).toContainEqual({ kind: 'target', label: 'T4', description: '48 KiB a block · sm_75', name: 't4', picked: false });
    expect(rows).toContainEqual({ kind: 'group', label: 'cloud', description: 't4, a100, l4, h100', targets: ['t4', 'a100', 'l4', 'h100'] });
  });

  it('offers no group with a card that the server does not know', () => {
    expect(entries(KNOWN.slice(0, 1), {}, []).some(({ label }) => label === 'cloud')).toBe(false);
  });

  it('puts the groups of the user first and keeps chosen names that nobody knows', () => {
    const rows = entries(KNOWN, { cloud: ['t4'] }, ['sm_999']);
    expect(rows.filter(({ label }) => label === 'cloud')).toEqual([{ kind: 'group', label: 'cloud', description: 't4', targets: ['t4'] }]);
    expect(rows).toContainEqual({ kind: 'target', label: 'sm_999', description: '', name: 'sm_999', picked: true });
  });

  it('takes each name once', () => {
    const rows = entries(KNOWN, {}, []).filter((row) => row.label === 'cloud' || row.label === 'T4');
    expect(namesOf(rows)).toEqual(['t4', 'a100', 'l4', 'h100']);
  });
});
