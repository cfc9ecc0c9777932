/** The graph of the contract and that of the graph module: one shape, written in two places. */
import type { Graph } from '@cogworks/graph/types';
import type { Graph as ContractGraph } from '@cogworks/sdk/contract.gen';

/** The service omits what is absent, so that no field of its graphs is undefined. */
export const asGraph = (graph: ContractGraph): Graph => graph as Graph;

export const asContract = (graph: Graph): ContractGraph => graph;
