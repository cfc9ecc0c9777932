/** Schemas of workflow templates. */
import { type Static, Type } from 'typebox';
import { Graph } from '../workflows/schema.ts';

export const Sample = Type.Object(
  {
    name: Type.String(),
    media_type: Type.String(),
    size_bytes: Type.Integer(),
    is_damaged: Type.Boolean({
      description: 'On purpose: it fails, which shows what becomes of the others.',
    }),
  },
  { title: 'TemplateSample', description: 'A file to try a template on.' },
);
export type Sample = Static<typeof Sample>;

const Scope = Type.Enum(['platform', 'tenant'], {
  description: 'For all, or for one organization.',
});

const fields = {
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  category: Type.String(),
  scope: Scope,
  is_shipped: Type.Boolean({ description: 'It comes with the release, and is not deleted.' }),
  samples: Type.Optional(
    Type.Array(Sample, { description: 'To try it on; of templates of the release only.' }),
  ),
  node_count: Type.Integer(),
  created_by: Type.Optional(Type.Integer()),
  created_at: Type.String({ format: 'date-time' }),
};

const Shape = Type.Object(
  {
    nodes: Type.Array(
      Type.Object({
        key: Type.String(),
        title: Type.Optional(Type.String()),
        map: Type.Optional(Type.Boolean()),
      }),
    ),
    edges: Type.Array(
      Type.Object({
        from: Type.Object({
          input: Type.Optional(Type.String()),
          node: Type.Optional(Type.String()),
        }),
        to: Type.Object({ node: Type.String() }),
      }),
    ),
    inputs: Type.Array(
      Type.Object({
        name: Type.String(),
        media_types: Type.Optional(
          Type.Array(Type.String(), { description: 'What it takes; absent: files of any type.' }),
        ),
      }),
    ),
  },
  { title: 'GraphShape' },
);

export const TemplateSummary = Type.Object(
  {
    ...fields,
    shape: Type.Optional({
      ...Shape,
      description: 'What a picture of its graph needs; of a graph of more than 60 nodes absent.',
    }),
  },
  {
    title: 'WorkflowTemplateSummary',
    description: 'A template without its graph, which may be megabytes.',
  },
);
export type TemplateSummary = Static<typeof TemplateSummary>;

export const Requirement = Type.Object(
  {
    kind: Type.Enum(['registry', 'image', 'secret', 'egress', 'resources', 'variable']),
    name: Type.String({ description: 'Which one: a host, a name, or what a node needs.' }),
    is_met: Type.Optional(
      Type.Boolean({ description: 'Absent for variables, which are given at each start.' }),
    ),
    state: Type.Optional(
      Type.Enum(['absent', 'building', 'ready', 'failed'], {
        description:
          'Of images that the installation makes itself: `absent` until one is first needed. Runs wait while it is `building`.',
      }),
    ),
    message: Type.String({ description: 'What it is, and what to do if it is not met.' }),
  },
  { title: 'TemplateRequirement' },
);
export type Requirement = Static<typeof Requirement>;

export const Template = Type.Object(
  { ...fields, graph: Graph, requirements: Type.Array(Requirement) },
  { title: 'WorkflowTemplate' },
);
export type Template = Static<typeof Template>;

export const NewTemplate = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    description: Type.Optional(Type.String({ maxLength: 10_000 })),
    category: Type.Optional(Type.String({ maxLength: 100 })),
    scope: Type.Optional({ ...Scope, default: 'tenant' }),
    graph: Type.Optional(Graph),
    workflow_version_id: Type.Optional(
      Type.Integer({ minimum: 1, description: 'The graph of this version, instead of `graph`.' }),
    ),
  },
  { additionalProperties: false, title: 'NewWorkflowTemplate' },
);
export type NewTemplate = Static<typeof NewTemplate>;

export const Instantiation = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    description: Type.Optional(Type.String({ maxLength: 10_000 })),
  },
  { additionalProperties: false, title: 'TemplateInstantiation' },
);
export type Instantiation = Static<typeof Instantiation>;
