/** Validates graphs beside the page, which draws meanwhile. */
import type { Definitions, Graph } from '@cogworks/graph/types';
import { faultsOf } from './check.ts';

/** Definitions only when they have changed: a catalogue is larger than most graphs. */
export type Question = { id: number; graph: Graph; definitions?: Definitions };

let definitions: Definitions = new Map();

self.addEventListener('message', ({ data }: MessageEvent<Question>) => {
  definitions = data.definitions ?? definitions;
  self.postMessage({ id: data.id, faults: faultsOf(data.graph, definitions) });
});
