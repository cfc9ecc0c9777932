/**
 * The workflow graph as JSON, and what a graph needs to know of a node definition. Names are those
 * of the API. Types only.
 */
export type Graph = {
  nodes: GraphNode[];
  edges: GraphEdge[];
  inputs: GraphInput[];
  variables: GraphVariable[];
  notes?: GraphNote[];
};

export type OnError = 'fail' | 'continue';

export type GraphNode = {
  key: string;
  node_definition_id: number;
  title?: string;
  params?: Record<string, unknown>;
  map?: boolean;
  when?: string;
  on_error?: OnError;
  position?: { x: number; y: number };
};

export type GraphEdge = { from: EdgeSource; to: PortOfNode; min_success_ratio?: number };
export type EdgeSource = { input: string } | PortOfNode;
export type PortOfNode = { node: string; port: string };

export type GraphInput = { name: string; media_types?: string[] };

/** What somebody wrote beside the nodes. It has no part in what the graph does. */
export type GraphNote = {
  id: string;
  /** Markdown. */
  text: string;
  position: { x: number; y: number };
  size: { width: number; height: number };
  /** Nodes that it is about. */
  node_keys?: string[];
};

export const variableTypes = ['string', 'integer', 'number', 'boolean', 'enum'] as const;
export type VariableType = (typeof variableTypes)[number];
export type VariableValue = string | number | boolean;

/** `default` and `enum` are user input, so their types are not checked yet. */
export type GraphVariable = {
  variable_name: string;
  type: VariableType;
  default?: unknown;
  required?: boolean;
  description?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  pattern?: string;
};

export const cardinalities = ['one', 'many', 'optional'] as const;
export type Cardinality = (typeof cardinalities)[number];

export type InputPort = {
  name: string;
  title?: string | null;
  media_types?: readonly string[] | null;
  cardinality: Cardinality;
};

export type OutputPort = {
  name: string;
  cardinality: Cardinality;
  glob?: string;
  media_type?: string | null;
};

/** The part of a node definition that graphs depend on. `params` is a JSON Schema. */
export type Definition = {
  id: number;
  name: string;
  version: string;
  /** Whose it is: shipped ones are everybody's. */
  scope?: 'platform' | 'tenant';
  command: readonly string[];
  inputs: readonly InputPort[];
  outputs: readonly OutputPort[];
  params?: Record<string, unknown> | null;
  timeout_seconds?: number | null;
};

export type Definitions = ReadonlyMap<number, Definition>;

/**
 * One fault. `pointer` is a JSON Pointer into the graph, so that a client can mark the position;
 * `path` lists the keys of a cycle, the first one repeated.
 */
export type Fault = {
  code: FaultCode;
  message: string;
  node_key?: string;
  port?: string;
  path?: string[];
  pointer?: string;
};

export type FaultCode =
  | 'no_nodes'
  | 'too_many_nodes'
  | 'bad_key'
  | 'duplicate_key'
  | 'duplicate_input'
  | 'duplicate_variable'
  | 'bad_variable'
  | 'unknown_definition'
  | 'unknown_node'
  | 'unknown_input'
  | 'unknown_port'
  | 'unknown_variable'
  | 'cycle'
  | 'duplicate_edge'
  | 'multiple_edges_to_single_port'
  | 'missing_required_input'
  | 'media_type_mismatch'
  | 'cardinality_mismatch'
  | 'bad_ratio'
  | 'nothing_to_map'
  | 'lane_mismatch'
  | 'bad_param'
  | 'too_many_params'
  | 'bad_template'
  | 'secret_in_command'
  | 'bad_when'
  | 'unused_variable'
  | 'unused_input'
  | 'dead_node'
  | 'no_timeout'
  | 'too_many_notes'
  | 'bad_note'
  | 'duplicate_note'
  | 'note_of_unknown_node';
