/** Schemas of runs, their node runs, files and progress. */
import {
  attemptStatuses,
  nodeRunStatuses,
  runFileStatuses,
  runStatuses,
} from '@cogworks/graph/statuses';
import { type Static, Type } from 'typebox';

const Time = Type.String({ format: 'date-time' });
const Priority = Type.Enum(['low', 'normal', 'high']);
const OnFailure = Type.Enum(['continue', 'abort']);
const Variables = Type.Record(Type.String(), Type.Unknown());
const MaxCredits = Type.Number({
  minimum: 0.001,
  maximum: 1_000_000_000,
  description:
    'What the run may spend: never more. A step for which five minutes are not left any more does not start, and fails with `insufficient_credits` once nothing of the run is under way. Digits after a thousandth do not count.',
});

export const RunStatus = Type.Enum(runStatuses);

export const StartRun = Type.Object(
  {
    cog_ids: Type.Array(Type.Integer(), {
      maxItems: 100_000,
      description: 'Input files; a folder stands for the files in it.',
    }),
    extra_variables: Type.Optional(Variables),
    output_parent_id: Type.Optional(
      Type.Integer({ description: 'Folder for the outputs instead of `Workflow outputs`.' }),
    ),
    keep_results: Type.Optional(
      Type.Boolean({
        description:
          'Without it true; false for a draft that runs `until` a node, unless `output_parent_id` is given. Results that are not kept are in no list of files, no search and no network drive: the run and `output_folder_id` lead to them. 24 hours after the run has ended, or when it is deleted, they are removed, with what its nodes passed on to each other; what was moved or copied elsewhere stays. False together with `output_parent_id` is 422 `excluded`.',
      }),
    ),
    priority: Type.Optional(Priority),
    on_failure: Type.Optional(OnFailure),
    max_credits: Type.Optional(MaxCredits),
    until: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'The key of a node: only what leads to it runs, and it; its outputs are the results, and without `keep_results` those of the others too. Files go to the inputs they go to in a run of all; those of inputs that do not lead to the node are left out. Faults of other nodes do not matter, and variables that only others use may be missing.',
      }),
    ),
    reuse_from_run_id: Type.Optional(
      Type.Integer({
        description:
          'A run of the same workflow that has ended. Node runs that succeeded there are taken over if node key, definition, command, params, connections and inputs are equal; a command with `{{run.id}}` never is. Of a run whose results were removed nothing is: all runs. Needs what a restart of that run needs.',
      }),
    ),
  },
  { additionalProperties: false, title: 'StartRun' },
);
export type StartRun = Static<typeof StartRun>;

export const StartedRun = Type.Object(
  { workflow_run_id: Type.Integer(), cog_ids: Type.Array(Type.Integer()) },
  { title: 'StartedRun' },
);

const ChosenNodeRun = Type.Object(
  {
    node_key: Type.String({ maxLength: 100 }),
    shard_index: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Of a node that runs per file: which; all without.',
      }),
    ),
  },
  { additionalProperties: false, title: 'ChosenNodeRun' },
);

export const RestartRun = Type.Object(
  {
    mode: Type.Optional(
      Type.Enum(['failed', 'all'], {
        description:
          'Without it `all` after success, else `failed`; not together with `only`. If the results of the run were removed, always `all`.',
      }),
    ),
    only: Type.Optional(
      Type.Array(ChosenNodeRun, {
        ...{ minItems: 1, maxItems: 1000 },
        description:
          'These run again, and what depends on them; the rest is taken over as it ended, failures included. What was stopped before its end has nothing to take over, and runs. A variable that others use too cannot change (422 `not_run_again`); what follows a failure that is taken over cannot run (422 `upstream_failed`). 409 `results_removed` if the results of the run were removed.',
      }),
    ),
    extra_variables: Type.Optional(Variables),
    max_credits: Type.Optional(
      Type.Number({
        ...{ minimum: 0.001, maximum: 1_000_000_000 },
        description: 'What the new run may spend, if not as much as the old one might.',
      }),
    ),
  },
  { additionalProperties: false, title: 'RestartRun' },
);
export type RestartRun = Static<typeof RestartRun>;

export const RestartedRun = Type.Object(
  {
    workflow_run_id: Type.Integer(),
    cog_ids: Type.Array(Type.Integer()),
    restarted_from_run_id: Type.Integer(),
  },
  { title: 'RestartedRun' },
);

export const CancelRun = Type.Object(
  { reason: Type.Optional(Type.String({ maxLength: 1000 })) },
  { additionalProperties: false },
);

export const RunFile = Type.Object(
  {
    id: Type.Integer(),
    cog_id: Type.Integer(),
    direction: Type.Enum(['input', 'output']),
    node_key: Type.Optional(Type.String()),
    name: Type.String(),
    size_bytes: Type.Integer(),
    checksum_sha256: Type.String(),
    status: Type.Enum(runFileStatuses),
    error_message: Type.Optional(Type.String()),
  },
  { title: 'RunFile' },
);
export type RunFile = Static<typeof RunFile>;

const NodeRunOutput = Type.Object(
  {
    port: Type.String(),
    name: Type.String({ description: 'As the program wrote it, where that can be a name here.' }),
    renamed_from: Type.Optional(
      Type.String({
        description:
          'What the program called it where that cannot be a name: it had control characters, was no UTF-8 or longer than 255 bytes. These are spelled out as \\xNN.',
      }),
    ),
    size_bytes: Type.Integer(),
    checksum_sha256: Type.String(),
    media_type: Type.String(),
    cog_id: Type.Optional(
      Type.Integer({
        description:
          'The file that became of it, if it is a result of the run; in a test `until` a node each output is. Absent when the results of a test have been removed.',
      }),
    ),
  },
  { title: 'NodeRunOutput' },
);

const SecretGiven = Type.Object(
  {
    attempt: Type.Integer({ description: 'Which try got it, from 1.' }),
    name: Type.String(),
    version: Type.Integer({ description: 'The `version` that the secret had then.' }),
  },
  { title: 'SecretGiven' },
);
export type SecretGiven = Static<typeof SecretGiven>;

const Attempt = Type.Object(
  {
    number: Type.Integer({ description: 'Which try it was, from 1.' }),
    status: Type.Enum(attemptStatuses),
    worker_id: Type.Integer(),
    leased_at: {
      ...Time,
      description: 'A worker took it. It fetches image and inputs from then on.',
    },
    started_at: Type.Optional({ ...Time, description: 'Its container started.' }),
    finished_at: Type.Optional(Time),
    exit_code: Type.Optional(Type.Integer()),
    error_class: Type.Optional(Type.String()),
    error_message: Type.Optional(Type.String()),
  },
  { title: 'Attempt' },
);
export type Attempt = Static<typeof Attempt>;

export const NodeRun = Type.Object(
  {
    id: Type.Integer(),
    node_key: Type.String(),
    title: Type.String(),
    node_definition_id: Type.Integer(),
    status: Type.Enum(nodeRunStatuses),
    skip_reason: Type.Optional(Type.String()),
    queue_reason: Type.Optional(
      Type.String({
        description:
          'Why it waits, as of now; after a failed try, how that failed and when the next one is.',
      }),
    ),
    cog_id: Type.Optional(Type.Integer()),
    shard_index: Type.Optional(Type.Integer()),
    attempt: Type.Integer(),
    max_attempts: Type.Integer(),
    cached: Type.Boolean({ description: 'Taken over from an earlier run instead of run again.' }),
    reused_from_node_run_id: Type.Optional(
      Type.Integer({
        description:
          "The node run it was taken over from, of the run's `restarted_from_run_id` or `reuse_from_run_id`.",
      }),
    ),
    worker_id: Type.Optional(Type.Integer()),
    exit_code: Type.Optional(Type.Integer()),
    error_class: Type.Optional(Type.String()),
    error_message: Type.Optional(Type.String()),
    queued_at: Type.Optional(Time),
    started_at: Type.Optional(Time),
    finished_at: Type.Optional(Time),
    outputs: Type.Array(NodeRunOutput),
    secrets: Type.Optional(
      Type.Array(SecretGiven, {
        description: 'The secrets that its attempts got, those for registries among them.',
      }),
    ),
    attempts: Type.Optional(
      Type.Array(Attempt, {
        description: 'Only where they are asked for: the newest 20 tries, the first of them first.',
      }),
    ),
  },
  { title: 'NodeRun' },
);
export type NodeRun = Static<typeof NodeRun>;

const GridNode = Type.Object(
  {
    node_key: Type.String(),
    group: Type.Optional(
      Type.Integer({
        description: 'Place in `groups` of the rows it has cells in; absent if it runs once.',
      }),
    ),
    cell: Type.Optional(
      Type.String({ description: 'The letter of its node run, if it runs once.' }),
    ),
    counts: Type.Record(Type.String(), Type.Integer(), {
      description:
        'How many of its node runs have which letter, in the whole run; none is left out.',
    }),
  },
  { title: 'GridNode' },
);

const GridGroup = Type.Object(
  {
    input: Type.Optional(Type.String({ description: 'An input of the graph: a row per file.' })),
    node_key: Type.Optional(
      Type.String({ description: 'A node whose output other nodes are mapped over.' }),
    ),
    port: Type.Optional(Type.String({ description: 'That output.' })),
    count: Type.Optional(
      Type.Integer({ description: 'How many rows it has; absent until that is known.' }),
    ),
  },
  { title: 'GridGroup' },
);
export type GridGroup = Static<typeof GridGroup>;

const GridRow = Type.Object(
  {
    group: Type.Integer(),
    shard_index: Type.Integer({ description: 'Place in its group, as of its node runs.' }),
    cog_id: Type.Optional(Type.Integer({ description: 'Of an input file.' })),
    name: Type.Optional(
      Type.String({ description: 'Of the file; absent where a node that ended gave none.' }),
    ),
    cells: Type.String({
      description: 'A letter for each of `nodes`, in their order; `-` where it has no node run.',
    }),
  },
  { title: 'GridRow' },
);
export type GridRow = Static<typeof GridRow>;

export const RunGrid = Type.Object(
  {
    nodes: Type.Array(GridNode, { description: 'In topological order.' }),
    groups: Type.Array(GridGroup, { description: 'In the order of their rows.' }),
    rows: Type.Array(GridRow),
  },
  { title: 'RunGrid' },
);
export type RunGrid = Static<typeof RunGrid>;

const runFields = {
  id: Type.Integer(),
  workflow_id: Type.Integer(),
  workflow_version_id: Type.Integer(),
  status: RunStatus,
  error_message: Type.Optional(Type.String()),
  extra_variables: Variables,
  started_by: Type.Integer(),
  trigger_id: Type.Optional(Type.Integer()),
  test_run: Type.Boolean(),
  priority: Priority,
  on_failure: OnFailure,
  output_parent_id: Type.Optional(
    Type.Integer({
      description:
        'The folder that was given for the outputs, which may be gone, or be closed to who reads this.',
    }),
  ),
  output_folder_id: Type.Optional(
    Type.Integer({ description: 'Where the outputs are, once there are any.' }),
  ),
  output_fallback: Type.Optional(
    Type.Enum(['no_right', 'folder_gone'], {
      description:
        'Why later outputs are in the results folder of who started the run instead of the one given at the start: they may not add to that any more, or it is gone or too deep to take a folder.',
    }),
  ),
  keep_results: Type.Boolean({
    description: 'False for a test: its results are removed 24 hours after it has ended.',
  }),
  results_removed_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'When the results were removed. Names, sizes and checksums are still told; the `cog_id` of a result that was not moved elsewhere leads to 404.',
    }),
  ),
  restarted_from_run_id: Type.Optional(Type.Integer()),
  superseded_by_run_id: Type.Optional(Type.Integer()),
  cancel_requested_at: Type.Optional(Time),
  reuse_from_run_id: Type.Optional(
    Type.Integer({ description: 'The run whose results it took over where they are the same.' }),
  ),
  until: Type.Optional(
    Type.String({ description: 'The node it ends with, where it is only a part of its version.' }),
  ),
  max_credits: Type.Optional(Type.Number({ description: 'What it may spend.' })),
  created_at: Time,
  started_at: Type.Optional(Time),
  finished_at: Type.Optional(Time),
};

/** Of a run that is told as a whole, and of one that made a file. */
export const versionChanged =
  'Whether the version is a draft that was edited since: it does something else than what ran, not counting notes, titles and positions. A restart runs what ran. Absent where a part of a draft ran: then it is not known.';

export const WorkflowRunSummary = Type.Object(runFields, { title: 'WorkflowRunSummary' });

export const WorkflowRun = Type.Object(
  {
    ...runFields,
    restart_only: Type.Optional(
      Type.Array(ChosenNodeRun, { description: 'What a restart with `only` was to run again.' }),
    ),
    is_version_changed: Type.Optional(Type.Boolean({ description: versionChanged })),
    credits_used: Type.Optional(
      Type.Number({ description: 'What it has spent of its `max_credits`; absent without.' }),
    ),
    run_files: Type.Array(RunFile, {
      description:
        'The first 1,000 that went in and the first 1,000 that came out; the rest by /files.',
    }),
    run_files_total: Type.Optional(
      Type.Object(
        { input: Type.Integer(), output: Type.Integer() },
        { description: 'How many there are, where not all of them come with the run.' },
      ),
    ),
    node_runs: Type.Array(NodeRun, { description: 'The first 1,000; the rest by /node-runs.' }),
  },
  { title: 'WorkflowRun' },
);

export const Progress = Type.Object(
  {
    progress_percentage: Type.Number(),
    completed_nodes: Type.Integer(),
    total_nodes: Type.Integer(),
    current_node: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'Progress' },
);
