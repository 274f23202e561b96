/** What the extension and its views tell each other. */
import type { Location } from './place';
import type { TargetsTable } from './table';
import type { LayoutAnswer } from './layout';

export type ToTargets = { type: 'table'; file: string; table: TargetsTable } | { type: 'empty'; reason: string };
export type FromTargets = { type: 'ready' } | { type: 'reveal'; place: Location } | { type: 'export'; format: 'csv' | 'markdown' };

export type ToLayout = { type: 'layout'; answer: LayoutAnswer };
export type FromLayout = { type: 'ready' } | { type: 'reveal'; place: Location } | { type: 'target'; target: string } | { type: 'tile'; place: Location };
