/** What a device function takes, and the shared memory of a block as parts of a bar. */
import type { ListingFunction } from './listing';

export interface Fact {
  name: string;
  value: string;
  /** Whether it deserves attention. */
  bad?: boolean;
}

export function factsOfFunction(of: ListingFunction): Fact[] {
  const facts: Fact[] = [];
  const { registers, threads, occupancy } = of;
  if (typeof registers === 'number') facts.push({ name: 'registers', value: `${registers} a thread` });
  if (typeof of.spill_stores === 'number') {
    const spilled = of.spill_stores + (of.spill_loads ?? 0);
    facts.push({ name: 'spills', value: spilled === 0 ? 'none' : `${of.spill_stores} B stored, ${of.spill_loads ?? 0} B loaded`, bad: spilled > 0 });
  }
  if (of.stack) facts.push({ name: 'stack', value: `${of.stack} B` });
  const shared = (of.static_shared ?? 0) + (of.dynamic_shared ?? 0);
  if (shared > 0) facts.push({ name: 'shared', value: `${shared.toLocaleString('en').replaceAll(',', ' ')} B a block` });
  if (typeof threads === 'number') facts.push({ name: 'threads', value: `${threads} a block` });
  if (occupancy) {
    facts.push({
      name: 'occupancy',
      value: `${occupancy.blocks} block${occupancy.blocks === 1 ? '' : 's'}, ${occupancy.warps} warps an SM (${Math.round(occupancy.fraction * 100)} %)`,
    });
    if (occupancy.limiters.length) facts.push({ name: 'limited by', value: occupancy.limiters.join(', ') });
  }
  return facts;
}

export interface MemoryPart {
  label: string;
  bytes: number;
  /** Which buffer it belongs to; copies of one buffer have the same. */
  buffer: number;
}

/** The parts of shared memory: each stage of each buffer, and what is left over of the total. */
export function memoryMap(buffers: readonly { name: string; bytes: number | null; copies: number }[], total: number): MemoryPart[] {
  const parts: MemoryPart[] = [];
  buffers.forEach(({ name, bytes, copies }, buffer) => {
    if (bytes === null || bytes <= 0) return;
    const count = Math.max(1, copies);
    for (let stage = 0; stage < count; stage++) {
      parts.push({ label: count > 1 ? `${name} stage ${stage + 1}` : name, bytes: bytes / count, buffer });
    }
  });
  const rest = total - parts.reduce((sum, part) => sum + part.bytes, 0);
  if (rest > 0) parts.push({ label: 'other', bytes: rest, buffer: -1 });
  return parts;
}
