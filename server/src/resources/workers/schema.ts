/** Schemas of workers and of their protocol. */
import { reportedErrorClasses } from '@cogworks/graph/error-classes';
import type { Resources } from '@cogworks/graph/resources';
import type { Same } from '@cogworks/graph/same';
import { desiredStates, reportStatuses, workerStatuses } from '@cogworks/graph/statuses';
import { cardinalities } from '@cogworks/graph/types';
import { type Static, Type } from 'typebox';

const Time = Type.String({ format: 'date-time' });

const Capacity = Type.Object(
  {
    cpu: Type.Number({ minimum: 0, maximum: 4096 }),
    memory_mb: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
    gpu: Type.Integer({ minimum: 0, maximum: 1024 }),
    disk_mb: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
  },
  { additionalProperties: false, title: 'Capacity' },
);
true satisfies Same<Static<typeof Capacity>, Resources>;

const Labels = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 50 });

const Features = Type.Array(Type.Enum(['egress']), {
  maxItems: 10,
  description:
    'What the worker can do besides its size: `egress` gives a container the internet. Left out: everything, as workers of an earlier release.',
});

export const WorkerTask = Type.Object(
  {
    workflow_run_id: Type.Integer(),
    workflow_id: Type.Integer(),
    node_key: Type.String(),
    attempts: Type.Integer({ description: 'How many of this step the worker holds.' }),
    since: Time,
  },
  { title: 'WorkerTask' },
);
export type WorkerTask = Static<typeof WorkerTask>;

export const Worker = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    scope: Type.Enum(['platform', 'tenant']),
    status: Type.Enum(workerStatuses),
    last_heartbeat_at: Type.Optional(Time),
    labels: Labels,
    capacity: Capacity,
    features: Features,
    in_use: Type.Partial(Capacity),
    version: Type.String(),
    work: Type.Array(WorkerTask, {
      description: 'What it does for my organization, by step of a run; the oldest twenty.',
    }),
    enrollment_token_id: Type.Optional(
      Type.Integer({ description: 'The token that enrolled it.' }),
    ),
    created_at: Time,
  },
  { title: 'Worker' },
);

export const NewEnrollmentToken = Type.Object(
  {
    scope: Type.Optional(Type.Enum(['tenant', 'platform'], { default: 'tenant' })),
    expires_in: Type.Optional(Type.Integer({ minimum: 60, maximum: 2_592_000, default: 3600 })),
  },
  { additionalProperties: false },
);

export const EnrollmentToken = Type.Object(
  {
    id: Type.Integer({
      description: 'The worker that it enrols has this as its `enrollment_token_id`.',
    }),
    enrollment_token: Type.String({ description: 'Begins with wet_, works once.' }),
    scope: Type.String(),
    expires_at: Time,
  },
  { title: 'EnrollmentToken' },
);

export const NewWorker = Type.Object(
  {
    enrollment_token: Type.Optional(Type.String({ maxLength: 200 })),
    name: Type.String({ minLength: 1, maxLength: 200 }),
    labels: Type.Optional(Labels),
    capacity: Capacity,
    features: Type.Optional(Features),
    version: Type.Optional(Type.String({ maxLength: 100 })),
  },
  { additionalProperties: false, title: 'NewWorker' },
);
export type NewWorker = Static<typeof NewWorker>;

export const EnrolledWorker = Type.Object(
  {
    id: Type.Integer(),
    worker_token: Type.String({ description: 'Shown once; every call of the worker carries it.' }),
    heartbeat_interval_seconds: Type.Number(),
    lease_ttl_seconds: Type.Number(),
  },
  { title: 'EnrolledWorker' },
);

export const WorkerChanges = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    labels: Type.Optional(Labels),
  },
  { additionalProperties: false },
);

const lease_token = Type.String({ format: 'uuid', description: 'Fences the attempt.' });

export const Heartbeat = Type.Object(
  {
    attempts: Type.Array(
      Type.Object(
        {
          attempt_id: Type.Integer(),
          lease_token,
          fraction: Type.Optional(
            Type.Number({
              minimum: 0,
              maximum: 1,
              description: 'How far the container says it is.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      { maxItems: 1000 },
    ),
    in_use: Type.Optional(Type.Partial(Capacity)),
    capacity: Type.Optional(Capacity),
    just_started: Type.Optional(
      Type.Boolean({
        description:
          'The worker holds nothing: what it held before it ended runs again at once. For workers without epochs; others say so with `start`.',
      }),
    ),
  },
  { additionalProperties: false, title: 'Heartbeat' },
);
export type Heartbeat = Static<typeof Heartbeat>;

export const ProcessStart = Type.Object(
  {
    capacity: Type.Optional(Capacity),
    features: Type.Optional(Features),
    version: Type.Optional(Type.String({ maxLength: 100 })),
    ended_epoch: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'A process known to be gone with its containers: what it holds runs again at once. Left out when nobody can know.',
      }),
    ),
  },
  { additionalProperties: false, title: 'ProcessStart' },
);
export type ProcessStart = Static<typeof ProcessStart>;

export const StartedProcess = Type.Object(
  {
    epoch: Type.Integer({
      description:
        'Further calls carry it: the Bearer token is the worker token, a dot, and this number.',
    }),
    heartbeat_interval_seconds: Type.Number(),
    lease_ttl_seconds: Type.Number(),
  },
  { title: 'StartedProcess' },
);

export const HeartbeatAnswer = Type.Object(
  {
    lease_ttl_seconds: Type.Number(),
    heartbeat_interval_seconds: Type.Number(),
    cancel: Type.Array(Type.Object({ attempt_id: Type.Integer(), grace_seconds: Type.Number() }), {
      description: 'Stop these, then report them as cancelled.',
    }),
    abandon: Type.Array(Type.Integer(), {
      description: 'Not yours any more: stop them, report nothing.',
    }),
    desired_state: Type.Enum(desiredStates),
  },
  { title: 'HeartbeatAnswer' },
);

export const Acquire = Type.Object(
  {
    /** The most to take; no more is given than the capacity has left by then. */
    free: Capacity,
    max: Type.Integer({ minimum: 1, maximum: 100 }),
    wait_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 25, default: 0 })),
  },
  { additionalProperties: false },
);

const Cardinality = Type.Enum(cardinalities);

/** Sent with a request for work; in the query, where servers of earlier releases ignore it. */
export const OrderForm = Type.Object({
  inputs: Type.Optional(
    Type.Enum(['whole', 'pages'], {
      default: 'whole',
      description:
        '`pages`: an order may name only the first of its inputs, and `more_inputs` says so. Left out: all are in the order, as workers of an earlier release expect.',
    }),
  ),
});

const inputs = {
  inputs: Type.Array(
    Type.Object({
      port: Type.String(),
      cardinality: Cardinality,
      name: Type.String(),
      size_bytes: Type.Integer(),
      checksum_sha256: Type.String(),
      url: Type.String({ description: 'Presigned GET.' }),
    }),
  ),
  more_inputs: Type.Optional(
    Type.String({
      description:
        'There are more inputs: ask for them with this as `start`, before the program runs.',
    }),
  ),
};

export const ReadInputs = Type.Object(
  { lease_token, start: Type.String({ maxLength: 100, description: '`more_inputs`, as given.' }) },
  { additionalProperties: false },
);

export const InputPage = Type.Object(inputs, { title: 'InputPage' });

/** One attempt, with everything a worker needs for it. */
export const Order = Type.Object(
  {
    attempt_id: Type.Integer(),
    lease_token: Type.String(),
    run_id: Type.Integer(),
    node_key: Type.String(),
    shard_index: Type.Optional(Type.Integer()),
    image: Type.String(),
    registry: Type.Optional(
      Type.Object({ server: Type.String(), username: Type.String(), password: Type.String() }),
    ),
    command: Type.Array(Type.String(), { description: 'argv with references yet to be put in.' }),
    env: Type.Record(Type.String(), Type.String()),
    params: Type.Record(Type.String(), Type.Unknown()),
    secrets: Type.Array(Type.String(), {
      description: 'Values in params that must not show in logs.',
    }),
    variables: Type.Record(Type.String(), Type.Unknown()),
    file: Type.Optional(Type.Object({ name: Type.String() })),
    input_ports: Type.Array(Type.Object({ name: Type.String(), cardinality: Cardinality })),
    ...inputs,
    outputs: Type.Array(
      Type.Object({ name: Type.String(), glob: Type.String(), cardinality: Cardinality }),
    ),
    resources: Capacity,
    timeout_seconds: Type.Integer(),
    network: Type.Enum(['none', 'egress']),
  },
  { title: 'WorkOrder' },
);
export type Order = Static<typeof Order>;

export const Started = Type.Object({ lease_token }, { additionalProperties: false });

export const NewUploads = Type.Object(
  {
    lease_token,
    files: Type.Array(
      Type.Object({ size_bytes: Type.Integer({ minimum: 0 }) }, { additionalProperties: false }),
      {
        minItems: 1,
        maxItems: 1000,
      },
    ),
  },
  { additionalProperties: false },
);
export const Uploads = Type.Array(
  Type.Object({
    object_id: Type.Integer(),
    url: Type.String({ description: 'Presigned PUT of exactly that file.' }),
  }),
  { title: 'AttemptUploads' },
);

export const LogPiece = Type.Object(
  {
    lease_token,
    start_offset: Type.Integer({ minimum: 0, description: 'Bytes sent before.' }),
    data: Type.String({ maxLength: 700_000, description: 'base64' }),
  },
  { additionalProperties: false },
);

const completion = {
  lease_token,
  status: Type.Enum(reportStatuses),
  exit_code: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
  error_class: Type.Optional(Type.Enum(reportedErrorClasses)),
  error_message: Type.Optional(Type.String({ maxLength: 10_000 })),
  outputs: Type.Optional(
    Type.Array(
      Type.Object(
        {
          port: Type.String({ maxLength: 100 }),
          name: Type.String({ minLength: 1, maxLength: 255 }),
          renamed_from: Type.Optional(
            Type.String({
              maxLength: 1100,
              description:
                'What the program called it, in plain text, where that cannot be a name.',
            }),
          ),
          object_id: Type.Integer(),
          size_bytes: Type.Integer({ minimum: 0 }),
          checksum_sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
        },
        { additionalProperties: false },
      ),
      { maxItems: 10_000 },
    ),
  ),
};

export const Completion = Type.Object(completion, {
  additionalProperties: false,
  title: 'Completion',
});

export const Exchange = Type.Object(
  {
    reports: Type.Array(
      Type.Object(
        { attempt_id: Type.Integer({ maximum: Number.MAX_SAFE_INTEGER }), ...completion },
        { additionalProperties: false },
      ),
      { maxItems: 200, description: 'Of attempts that have ended; each counts for itself.' },
    ),
    free: Capacity,
    max: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'How many orders are wanted at most.',
    }),
    wait_seconds: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 25,
        default: 0,
        description: 'Only without reports: a call that brings some is answered at once.',
      }),
    ),
  },
  { additionalProperties: false, title: 'Exchange' },
);

export const Exchanged = Type.Object(
  {
    accepted: Type.Array(
      Type.Object({
        attempt_id: Type.Integer(),
        result: Type.String({
          description:
            '`ok`, or the code with which the single call would have been refused, such as `lease_lost`.',
        }),
        message: Type.Optional(Type.String()),
      }),
      { description: 'One for each report, in their order.' },
    ),
    orders: Type.Array(Order),
  },
  { title: 'Exchanged' },
);
