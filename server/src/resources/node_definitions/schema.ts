/** Shapes of node definitions: a container with declared inputs, outputs and params. */
import { mostOf, type Resources } from '@cogworks/graph/resources';
import type { Same } from '@cogworks/graph/same';
import { cardinalities } from '@cogworks/graph/types';
import { type Static, Type } from 'typebox';

const name = Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' });
const MediaTypes = Type.Array(Type.String({ pattern: '^[\\w.+*-]+/[\\w.+*-]+$', maxLength: 100 }), {
  maxItems: 50,
});

const InputPort = Type.Object(
  {
    name,
    title: Type.Optional(Type.String({ maxLength: 200 })),
    media_types: Type.Optional(MediaTypes),
    cardinality: Type.Enum(cardinalities, { default: 'one' }),
  },
  { additionalProperties: false, title: 'InputPort' },
);

const OutputPort = Type.Object(
  {
    name,
    glob: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Which files below /data/outputs are this output.',
      examples: ['*.txt'],
    }),
    cardinality: Type.Enum(cardinalities, { default: 'one' }),
    media_type: Type.Optional(Type.String({ pattern: '^[\\w.+-]+/[\\w.+-]+$', maxLength: 100 })),
  },
  { additionalProperties: false, title: 'OutputPort' },
);

const ResourcesOfNode = Type.Object(
  {
    // A hundredth is the least share that a kernel can be told.
    cpu: Type.Number({ minimum: 0.01, maximum: 256, default: 1 }),
    memory_mb: Type.Integer({ minimum: 6, maximum: mostOf.memory_mb, default: 512 }),
    gpu: Type.Integer({ minimum: 0, maximum: 64, default: 0 }),
    disk_mb: Type.Integer({ minimum: 1, maximum: mostOf.disk_mb, default: 1024 }),
  },
  { additionalProperties: false, title: 'Resources' },
);
true satisfies Same<Static<typeof ResourcesOfNode>, Resources>;

/** Error classes and `exit:N`; `failure` of any other kind is never retried by the user's budget. */
const RetryOn = Type.String({ pattern: '^([a-z_]{1,40}|exit:\\d{1,3})$' });
const Retry = Type.Object(
  {
    max_attempts: Type.Integer({ minimum: 1, maximum: 10, default: 1 }),
    on: Type.Array(RetryOn, { maxItems: 50, default: [] }),
  },
  { additionalProperties: false, title: 'Retry' },
);

const Cache = Type.Object(
  {
    enabled: Type.Boolean({ default: true }),
    version: Type.String({ maxLength: 100, default: '1' }),
  },
  { additionalProperties: false, title: 'CachePolicy' },
);

export const NewNodeDefinition = Type.Object(
  {
    name,
    version: Type.String({ pattern: '^[\\w.+-]{1,50}$' }),
    title: Type.Optional(Type.String({ maxLength: 200 })),
    description: Type.Optional(Type.String({ maxLength: 10_000 })),
    category: Type.Optional(Type.String({ maxLength: 100 })),
    image: Type.String({ minLength: 1, maxLength: 500, examples: ['registry.example/tools:1.2'] }),
    digest: Type.Optional(Type.String({ pattern: '^sha256:[0-9a-f]{64}$' })),
    command: Type.Array(Type.String({ maxLength: 32_768 }), {
      minItems: 1,
      maxItems: 200,
      description:
        'argv entries, never a shell string. They take {{params.x}}, {{vars.x}}, {{inputs.port.path}}, {{file.name}}, {{file.stem}}, {{run.id}}. A secret param (x-secret) is refused here as secret_in_command: it reaches the program as PARAM_<NAME> and in /data/params.json.',
    }),
    env: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,100}$' }),
        Type.String({ maxLength: 32_768 }),
      ),
    ),
    inputs: Type.Optional(Type.Array(InputPort, { maxItems: 50 })),
    outputs: Type.Array(OutputPort, { maxItems: 50 }),
    params: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'A JSON Schema 2020-12 object.' }),
    ),
    resources: Type.Optional(ResourcesOfNode),
    timeout_seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: mostOf.timeout_seconds, default: 3600 }),
    ),
    retry: Type.Optional(Retry),
    network: Type.Optional(Type.Enum(['none', 'egress'], { default: 'none' })),
    cache: Type.Optional(Cache),
  },
  { additionalProperties: false, title: 'NewNodeDefinition' },
);
export type NewNodeDefinition = Static<typeof NewNodeDefinition>;

export const NodeDefinition = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    version: Type.String(),
    title: Type.String(),
    description: Type.String(),
    category: Type.String(),
    image: Type.String(),
    digest: Type.Optional(Type.String()),
    command: Type.Array(Type.String()),
    env: Type.Record(Type.String(), Type.String()),
    inputs: Type.Array(InputPort),
    outputs: Type.Array(OutputPort),
    params: Type.Record(Type.String(), Type.Unknown()),
    resources: ResourcesOfNode,
    timeout_seconds: Type.Integer(),
    retry: Retry,
    network: Type.Enum(['none', 'egress']),
    cache: Cache,
    scope: Type.Enum(['platform', 'tenant']),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'NodeDefinition' },
);
export type NodeDefinition = Static<typeof NodeDefinition>;

export const DefinitionUse = Type.Object(
  {
    workflow_id: Type.Integer(),
    workflow_name: Type.String(),
    workflow_version_id: Type.Integer(),
    version_number: Type.Integer(),
    state: Type.Enum(['draft', 'published', 'archived']),
    is_published: Type.Boolean({
      description: 'Whether it is the version that triggers and new runs take.',
    }),
    node_count: Type.Integer({ description: 'How many nodes of the version use the definition.' }),
  },
  { title: 'DefinitionUse' },
);
export type DefinitionUse = Static<typeof DefinitionUse>;
