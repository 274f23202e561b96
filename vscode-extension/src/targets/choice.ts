/** What the picker of targets shows: plain data, so that it can be tested without an editor. */

/** An architecture that the server knows, with the products that have it. */
export interface KnownArch {
  arch: string;
  family: string;
  cards: string[];
  /** Bytes of shared memory that one block may use. */
  sharedMemory: number | null;
}

/** The products that stand first. */
const CARDS = ['t4', 'v100', 'a100', 'l4', 'rtx3090', 'rtx4090', 'h100', 'h200', 'b200', 'rtx5090', 'mi300x', 'mi355x'];

export interface Group {
  name: string;
  targets: string[];
}

/** The groups that are always there. */
const GROUPS: Group[] = [
  { name: 'cloud', targets: ['t4', 'a100', 'l4', 'h100'] },
  { name: 'datacenter', targets: ['a100', 'h100', 'h200', 'b200'] },
  { name: 'workstation', targets: ['sm_86', 'sm_89', 'sm_120'] },
];

const FAMILIES: Record<string, string> = {
  cuda: 'NVIDIA',
  rocm: 'AMD',
  metal: 'Apple',
  webgpu: 'WebGPU',
  ascend: 'Ascend',
  cpu: 'CPU',
};

export type Entry =
  | { kind: 'heading'; label: string }
  | { kind: 'group'; label: string; description: string; targets: string[] }
  | { kind: 'target'; label: string; description: string; name: string; picked: boolean };

/** The rows of the picker: groups, well-known products, then all architectures by family. */
export function entries(known: KnownArch[], own: Record<string, string[]>, chosen: string[]): Entry[] {
  const byCard = new Map(known.flatMap((arch) => arch.cards.map((card) => [card, arch] as const)));
  const names = new Set([...byCard.keys(), ...known.map(({ arch }) => arch)]);
  const groups = [
    ...Object.entries(own).map(([name, targets]) => ({ name, targets })),
    ...GROUPS.filter((group) => !(group.name in own) && group.targets.every((name) => names.has(name))),
  ];
  const rows: Entry[] = [];
  const section = (label: string, members: Entry[]): void => {
    if (members.length) rows.push({ kind: 'heading', label }, ...members);
  };
  const target = (name: string, label: string, description: string): Entry => ({
    kind: 'target',
    label,
    description,
    name,
    picked: chosen.includes(name),
  });
  section('groups', groups.map(({ name, targets }) => ({ kind: 'group', label: name, description: targets.join(', '), targets })));
  const cards = [...CARDS, ...chosen].filter((name, index, all) => byCard.has(name) && all.indexOf(name) === index);
  section('cards', cards.map((card) => target(card, card.toUpperCase(), describe(byCard.get(card)!, byCard.get(card)!.arch))));
  section('other', chosen.filter((name) => !names.has(name)).map((name) => target(name, name, '')));
  for (const [family, title] of Object.entries(FAMILIES)) {
    const members = known.filter((arch) => arch.family === family);
    section(title, members.map((arch) => target(arch.arch, arch.arch, describe(arch, arch.cards.map((card) => card.toUpperCase()).join(', ')))));
  }
  return rows;
}

function describe({ sharedMemory }: KnownArch, rest: string): string {
  const size = sharedMemory === null ? '' : `${Math.floor(sharedMemory / 1024)} KiB a block`;
  return [size, rest].filter(Boolean).join(' · ');
}

/** The names that a choice of rows stands for, each once, in the order of the rows. */
export function namesOf(picked: Entry[]): string[] {
  const names = picked.flatMap((entry) => (entry.kind === 'group' ? entry.targets : entry.kind === 'target' ? [entry.name] : []));
  return [...new Set(names)];
}
