/**
 * Whether a wire may be drawn, why not, and what would make it possible. By the rules of
 * validateGraph; what they allow is allowed here.
 */
import { cycleFault } from '../checks/cycles.ts';
import { faultsOfEdge, repeatedEdge, tooManyEdges } from '../checks/edges.ts';
import { type Domain, domainAlong, isSameDomain, laneDomains, laneMismatch } from '../lanes.ts';
import { inputPort, type Lookup, lookUp, sourceNode } from '../lookup.ts';
import { childrenOf, descendantsOf, withAncestors } from '../order.ts';
import type { Definitions, EdgeSource, Fault, Graph, GraphEdge, PortOfNode } from '../types.ts';
import { edgeId } from './changes.ts';
import { type Fix, fixesFor } from './wiring.ts';

export type Verdict =
  | { ok: true }
  | { ok: false; code: Fault['code']; message: string; readonly fixes: readonly Fix[] };

/** The name of a port in the verdicts on many: with a node, or a graph input by itself. */
export const portId = (port: EdgeSource): string =>
  JSON.stringify('node' in port ? [port.node, port.port] : [port.input]);

export function verdictOn(graph: Graph, definitions: Definitions, edge: GraphEdge): Verdict {
  const behind = descendantsOf(graph, [edge.to.node]);
  return judge(knownOf(graph, definitions), edge, (key) => key === edge.to.node || behind.has(key));
}

/** The verdict on a wire from here to each input of each node, by portId. */
export function verdictsFrom(
  graph: Graph,
  definitions: Definitions,
  source: EdgeSource,
): Map<string, Verdict> {
  const known = knownOf(graph, definitions);
  const key = sourceNode(source);
  const before = key === null ? new Set<string>() : withAncestors(graph, [key]);
  return new Map(
    graph.nodes.flatMap((node) =>
      (definitions.get(node.node_definition_id)?.inputs ?? []).map((port) => {
        const to = { node: node.key, port: port.name };
        return [
          portId(to),
          judge(known, { from: source, to }, () => before.has(node.key)),
        ] as const;
      }),
    ),
  );
}

/** The verdict on a wire to here from each output of each node and each input, by portId. */
export function verdictsTo(
  graph: Graph,
  definitions: Definitions,
  target: PortOfNode,
): Map<string, Verdict> {
  const known = knownOf(graph, definitions);
  const behind = descendantsOf(graph, [target.node]).add(target.node);
  const outputs = graph.nodes.flatMap((node) =>
    (definitions.get(node.node_definition_id)?.outputs ?? []).map(
      (port): EdgeSource => ({ node: node.key, port: port.name }),
    ),
  );
  const inputs = graph.inputs.map(({ name }): EdgeSource => ({ input: name }));
  return new Map(
    [...inputs, ...outputs].map((from) => [
      portId(from),
      judge(known, { from, to: target }, (key) => behind.has(key)),
    ]),
  );
}

/** What all verdicts of one graph need. */
type Known = {
  graph: Graph;
  definitions: Definitions;
  lookup: Lookup;
  domains: ReadonlyMap<string, Domain | null>;
  /** The edges into each port. */
  incoming: ReadonlyMap<string, GraphEdge[]>;
};

const knownOf = (graph: Graph, definitions: Definitions): Known => ({
  graph,
  definitions,
  lookup: lookUp(graph, definitions),
  domains: laneDomains(graph, definitions),
  incoming: Map.groupBy(graph.edges, ({ to }) => portId(to)),
});

/** @param closes whether a wire from this node, to the node of the edge, would close a cycle. */
function judge(known: Known, edge: GraphEdge, closes: (source: string) => boolean): Verdict {
  const { graph, definitions, incoming } = known;
  const here = incoming.get(portId(edge.to)) ?? [];
  const source = sourceNode(edge.from);
  if (source !== null && closes(source)) return refused(cycleAlong(graph, source, edge.to.node));
  if (here.some((one) => edgeId(one) === edgeId(edge))) return refused(() => repeatedEdge);

  const fault = faultsOfEdge(edge, known.lookup)[0] ?? laneFault(known, edge) ?? taken(known, edge);
  return fault
    ? refused(
        () => fault,
        () => fixesFor(graph, definitions, edge, fault.code),
      )
    : { ok: true };
}

/** Message and fixes are worked out when they are read: there may be thousands of verdicts. */
function refused(fault: () => Fault, fixes: () => Fix[] = () => []): Verdict {
  let found: Fault | undefined;
  let offered: Fix[] | undefined;
  const read = () => {
    found ??= fault();
    return found;
  };
  return {
    ok: false,
    get code() {
      return read().code;
    },
    get message() {
      return read().message;
    },
    get fixes() {
      offered ??= fixes();
      return offered;
    },
  };
}

/** The shortest way from the target back to the source, which the wire would close. */
const cycleAlong = (graph: Graph, source: string, target: string) => () => {
  const children = childrenOf(graph);
  const previous = new Map<string, string | undefined>([[target, undefined]]);
  for (const key of previous.keys()) {
    if (key === source) break;
    for (const child of children.get(key) ?? []) {
      if (!previous.has(child)) previous.set(child, key);
    }
  }
  const path: string[] = [];
  for (let key: string | undefined = source; key !== undefined; key = previous.get(key)) {
    path.unshift(key);
  }
  return cycleFault([...path, target]);
};

/** The target follows the files of something else already. */
function laneFault({ graph, lookup, domains }: Known, edge: GraphEdge): Fault | undefined {
  const target = lookup.nodes.get(edge.to.node);
  if (!target?.node.map) return undefined;
  const own = domains.get(edge.to.node);
  const brought = domainAlong(edge, lookup, domains);
  if (!own || !brought || isSameDomain(own, brought)) return undefined;
  // What the only wire of a taken port brings is replaced together with that wire.
  const others = graph.edges.filter(
    ({ to }) => to.node === edge.to.node && !(isSingle(lookup, to) && to.port === edge.to.port),
  );
  const isLeft = others.some((one) => {
    const domain = domainAlong(one, lookup, domains);
    return domain !== null && isSameDomain(domain, own);
  });
  return isLeft ? laneMismatch(edge.to.node, target.position, own, brought) : undefined;
}

const isSingle = (lookup: Lookup, { node, port }: PortOfNode) =>
  inputPort(lookup.nodes.get(node)?.definition, port)?.cardinality !== 'many';

function taken({ lookup, incoming }: Known, { to }: GraphEdge): Fault | undefined {
  const count = incoming.get(portId(to))?.length ?? 0;
  return count > 0 && isSingle(lookup, to) ? tooManyEdges(to.node, to.port, count + 1) : undefined;
}
