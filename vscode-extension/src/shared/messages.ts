/** What the extension and its views tell each other. */
import type { ListingDocument } from './listing';
import type { Location } from './place';
import type { TargetsTable } from './table';
import type { LayoutAnswer } from './layout';

export type ToTargets = { type: 'table'; file: string; table: TargetsTable } | { type: 'empty'; reason: string };
export type FromTargets = { type: 'ready' } | { type: 'reveal'; place: Location } | { type: 'export'; format: 'csv' | 'markdown' };

export type ToLayout = { type: 'layout'; answer: LayoutAnswer };
export type FromLayout = { type: 'ready' } | { type: 'reveal'; place: Location } | { type: 'target'; target: string } | { type: 'tile'; place: Location };

/** One kernel instance that can be shown. */
export interface Choice {
  kernel: string;
  instance: number;
  /** Of the kernel's `def`, from 0. */
  line: number;
  label: string;
}

/** What the assembly view shows at a time. */
export interface Shown {
  /** Of the instance that is shown, in `choices`. */
  chosen: number;
  choices: Choice[];
  target: string;
  targets: { arch: string; label: string }[];
  stage: string;
  stages: string[];
  document: ListingDocument;
  /** The text of each source line that has code, by `file:line`. */
  source: Record<string, string>;
  /** Shared memory by buffer, in the order of the plan. */
  buffers: { name: string; bytes: number | null; copies: number }[];
  seconds: number;
}

/** What a listing is compared with: another target, another instance, or the listing before the last change. */
export type Other = { kind: 'target'; target: string } | { kind: 'instance'; instance: number } | { kind: 'before' };

export type ToAssembly =
  | { type: 'listing'; shown: Shown }
  | { type: 'compare'; label: string; document: ListingDocument }
  | { type: 'noCompare'; reason: string }
  | { type: 'compareWith'; value: string }
  | { type: 'state'; busy: boolean; stale: boolean; problem: string; canInstall: boolean }
  | { type: 'cursor'; file: number; from: number; to: number };
export type FromAssembly =
  | { type: 'ready' }
  | { type: 'choose'; chosen?: number; target?: string; stage?: string }
  | { type: 'compare'; other: Other | undefined }
  | { type: 'select'; file: number; line: number; go: boolean }
  | { type: 'install' }
  | { type: 'retry' };
