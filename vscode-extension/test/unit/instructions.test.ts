import { describe, expect, it } from 'vitest';
import { documentationOf } from '../../src/shared/instructions';
import type { ListingLine } from '../../src/shared/listing';
import { captured } from './data';

function sass(opcode: string, ...modifiers: string[]): ListingLine {
  return { text: '', kind: 'instruction', opcode, modifiers };
}

describe('documentation of instructions', () => {
  it('says what a matrix instruction multiplies', () => {
    const found = documentationOf(sass('HMMA', '16816', 'F32'), 'sass')!;
    expect(found.title).toBe('HMMA.16816.F32');
    expect(found.details).toContain('16816: 16 × 8 × 16 (M × N × K)');
    expect(found.details).toContain('F32: float32 accumulator');
    expect(documentationOf(sass('HMMA', '1688'), 'sass')!.details).toContain('1688: 16 × 8 × 8 (M × N × K)');
    expect(documentationOf(sass('HMMA', '884'), 'sass')!.details).toContain('884: 8 × 8 × 4 (M × N × K)');
  });

  it('knows every instruction of the captured listings', () => {
    for (const [name, stage] of [['sm_75.sass', 'sass'], ['sm_80.sass', 'sass'], ['sm_80.ptx', 'ptx']] as const) {
      const unknown = captured(name).lines.filter((line) => documentationOf(line, stage)?.text === 'No description.').map(({ opcode }) => opcode);
      expect([...new Set(unknown)], name).toEqual([]);
    }
  });

  it('reads the scheduling', () => {
    const line = captured('sm_80.sass').lines.find(({ control }) => control && control.wait.length > 0)!;
    expect(documentationOf(line, 'sass')!.details.at(-1)).toMatch(/^issues \d+ cycles? before the next.*waits for scoreboard/);
  });

  it('takes uniform instructions for what they are without the U', () => {
    expect(documentationOf(sass('UISETP', 'GE'), 'sass')!.text).toContain('Compares integers');
  });

  it('has nothing to say about other lines', () => {
    expect(documentationOf({ text: '.L_x_0:', kind: 'label' }, 'sass')).toBeUndefined();
  });
});
