/** Schemas of workflows, their versions and graphs. */
import { noteLimits } from '@cogworks/graph/checks/notes';
import type { Same } from '@cogworks/graph/same';
import { type Graph as CheckedGraph, variableTypes } from '@cogworks/graph/types';
import { type Static, Type } from 'typebox';

/** A graph of 2,000 nodes is larger than other bodies. */
export const graphBytes = 4 * 1024 * 1024;

const Time = Type.String({ format: 'date-time' });

const maxRunning = 'How many node runs of all its runs may be leased to workers at the same time.';

export const Workflow = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    description: Type.Optional(Type.String()),
    created_by: Type.Integer(),
    latest_version_id: Type.Optional(Type.Integer()),
    published_version_id: Type.Optional(
      Type.Integer({
        description:
          'The version of triggers without one of their own, and the one to offer for new runs: the newest of those that are published, whichever was published last.',
      }),
    ),
    max_running: Type.Optional(Type.Integer({ description: maxRunning })),
    created_at: Time,
    updated_at: Time,
  },
  { title: 'Workflow' },
);
export type Workflow = Static<typeof Workflow>;

const PortOfNode = Type.Object(
  { node: Type.String(), port: Type.String() },
  { additionalProperties: false },
);

const Position = Type.Object(
  { x: Type.Number(), y: Type.Number() },
  { additionalProperties: false },
);

const GraphNode = Type.Object(
  {
    key: Type.String({ maxLength: 100 }),
    node_definition_id: Type.Integer(),
    title: Type.Optional(Type.String({ maxLength: 200 })),
    params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    map: Type.Optional(Type.Boolean({ description: 'Run once per file.' })),
    when: Type.Optional(Type.String({ maxLength: 1000, examples: ['vars.do_resize == true'] })),
    on_error: Type.Optional(Type.Enum(['fail', 'continue'])),
    position: Type.Optional(Position),
  },
  { additionalProperties: false, title: 'GraphNode' },
);

const GraphEdge = Type.Object(
  {
    from: Type.Union([
      Type.Object({ input: Type.String() }, { additionalProperties: false }),
      PortOfNode,
    ]),
    to: PortOfNode,
    min_success_ratio: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  },
  { additionalProperties: false, title: 'GraphEdge' },
);

const GraphVariable = Type.Object(
  {
    variable_name: Type.String({ maxLength: 100 }),
    type: Type.Enum(variableTypes),
    default: Type.Optional(Type.Unknown()),
    required: Type.Optional(Type.Boolean()),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    enum: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 1000 })),
    minimum: Type.Optional(Type.Number()),
    maximum: Type.Optional(Type.Number()),
    pattern: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { additionalProperties: false, title: 'GraphVariable' },
);

const length = Type.Number({ minimum: 1, maximum: noteLimits.size });

const GraphNote = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      maxLength: noteLimits.id,
      description: 'Chosen by the client, and the same in later versions.',
    }),
    text: Type.String({
      maxLength: noteLimits.text,
      description:
        'Markdown, kept as it was written: whoever shows it must not trust HTML and links in it.',
    }),
    position: Position,
    size: Type.Object({ width: length, height: length }, { additionalProperties: false }),
    node_keys: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        maxItems: noteLimits.node_keys,
        description: 'The nodes that it is about. One that is not there is a warning.',
      }),
    ),
  },
  {
    additionalProperties: false,
    title: 'GraphNote',
    description: 'A remark on the drawing. It has no part in what the graph does.',
  },
);

export const Graph = Type.Object(
  {
    nodes: Type.Array(GraphNode),
    edges: Type.Array(GraphEdge, { maxItems: 20_000, default: [] }),
    inputs: Type.Array(
      Type.Object(
        {
          name: Type.String({ maxLength: 100 }),
          media_types: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 50 })),
        },
        { additionalProperties: false, title: 'GraphInput' },
      ),
      { maxItems: 100, default: [] },
    ),
    variables: Type.Array(GraphVariable, { maxItems: 500, default: [] }),
    notes: Type.Optional(Type.Array(GraphNote, { maxItems: noteLimits.notes })),
  },
  { additionalProperties: false, title: 'Graph' },
);
true satisfies Same<Static<typeof Graph>, CheckedGraph>;

export const Variable = Type.Object(
  {
    variable_name: Type.String(),
    type: Type.String(),
    required: Type.Boolean(),
    default: Type.Optional(Type.Unknown()),
    description: Type.Optional(Type.String()),
    enum: Type.Optional(Type.Array(Type.Unknown())),
    minimum: Type.Optional(Type.Number()),
    maximum: Type.Optional(Type.Number()),
    pattern: Type.Optional(Type.String()),
  },
  { title: 'Variable' },
);

const versionFields = {
  id: Type.Integer(),
  workflow_id: Type.Integer(),
  version_number: Type.Integer(),
  state: Type.Enum(['draft', 'published', 'archived']),
  graph_hash: Type.String({
    description: 'SHA-256 of the whole graph as canonical JSON (RFC 8785), in hex.',
  }),
  logic_hash: Type.String({
    description:
      'The same of what the graph does: without `notes`, and without `title` and `position` of its nodes. Versions with the same one differ in their drawing at most.',
  }),
  node_count: Type.Integer(),
  input_count: Type.Integer(),
  created_by: Type.Integer(),
  created_at: Time,
  published_at: Type.Optional(Time),
};

export const WorkflowVersionSummary = Type.Object(versionFields, {
  title: 'WorkflowVersionSummary',
  description: 'A version without its graph and variables, which may be megabytes.',
});

export const WorkflowVersion = Type.Object(
  { ...versionFields, graph: Graph, variables: Type.Array(Variable) },
  { title: 'WorkflowVersion' },
);

const Fault = Type.Object(
  {
    code: Type.String(),
    message: Type.String(),
    node_key: Type.Optional(Type.String()),
    port: Type.Optional(Type.String()),
    path: Type.Optional(Type.Array(Type.String())),
    pointer: Type.Optional(Type.String({ description: 'JSON Pointer into the graph.' })),
  },
  { title: 'GraphFault' },
);

export const Validation = Type.Object(
  {
    valid: Type.Boolean(),
    errors: Type.Array(Fault, { description: 'At most 100.' }),
    warnings: Type.Array(Fault, { description: 'At most 100.' }),
    more_errors: Type.Optional(Type.Integer({ description: 'How many errors are not listed.' })),
    more_warnings: Type.Optional(
      Type.Integer({ description: 'How many warnings are not listed.' }),
    ),
  },
  { title: 'GraphValidation' },
);

const name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' });
const description = Type.String({ maxLength: 10_000 });

const max_running = Type.Optional(
  Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000 }), Type.Null()], {
    description: `${maxRunning} Null: no limit.`,
  }),
);

export const NewWorkflow = Type.Object(
  { name, description: Type.Optional(description), max_running, graph: Type.Optional(Graph) },
  { additionalProperties: false, title: 'NewWorkflow' },
);
export type NewWorkflow = Static<typeof NewWorkflow>;

export const WorkflowChanges = Type.Object(
  { name: Type.Optional(name), description: Type.Optional(description), max_running },
  { additionalProperties: false },
);
export type WorkflowChanges = Static<typeof WorkflowChanges>;

export const NewVersion = Type.Object(
  { graph: Type.Optional(Graph) },
  {
    additionalProperties: false,
    description: 'Without a graph the new draft starts as a copy of the latest version.',
  },
);

export const Publication = Type.Object(
  {
    logic_hash: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'Publishes only the logic that was seen: 412 if the draft does something else by now.',
      }),
    ),
    published_version_id: Type.Optional(
      Type.Union([Type.Integer(), Type.Null()], {
        description:
          'The `published_version_id` of the workflow that was seen; null: none. Takes the place of no other: 409 `other_published` if another one is published by now. Of a version that is published already it is not looked at.',
      }),
    ),
  },
  { additionalProperties: false, title: 'Publication' },
);
export type Publication = Static<typeof Publication>;

export const DraftChange = Type.Object({ graph: Graph }, { additionalProperties: false });
