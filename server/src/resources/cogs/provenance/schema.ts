/** Schemas of what a file was made from, and of what was made from it. */
import { runStatuses } from '@cogworks/graph/statuses';
import { type Static, Type } from 'typebox';
import { versionChanged } from '../../workflow-runs/schema.ts';

const Time = Type.String({ format: 'date-time' });
const RunStatus = Type.Enum(runStatuses);

const state = Type.Enum(['available', 'in_trash', 'removed', 'hidden'], {
  title: 'ProvenanceFileState',
  description:
    'Of the file now. `hidden`: the caller may not see it, or may not know any more what it was; then nothing else is told of it. A file that was removed for ever is named to who started the run, and to admins.',
});

const file = {
  state,
  cog_id: Type.Optional(Type.Integer()),
  name: Type.Optional(Type.String({ description: 'As it was called in the run.' })),
  current_name: Type.Optional(
    Type.String({ description: 'If it is available and called otherwise now.' }),
  ),
  media_type: Type.Optional(Type.String()),
  size_bytes: Type.Optional(Type.Integer()),
  checksum_sha256: Type.Optional(Type.String()),
};

export const ProvenanceInput = Type.Object(
  {
    input_name: Type.String({ description: 'The input of the graph.' }),
    position: Type.Integer({ description: 'Among the files of that input, from 0.' }),
    ...file,
    version: Type.Optional(
      Type.Integer({
        description:
          'The version that went in. Absent if the file or that version was removed before versions were recorded.',
      }),
    ),
    current_version: Type.Optional(Type.Integer({ description: 'Of an available file.' })),
    contributed: Type.Optional(
      Type.Boolean({
        description:
          'Whether something of it is in the content: not if its lane failed or was skipped before the node that gathers.',
      }),
    ),
    is_stored: Type.Optional(
      Type.Boolean({ description: 'Whether the bytes that went in are still stored.' }),
    ),
  },
  { title: 'ProvenanceInput' },
);
export type ProvenanceInput = Static<typeof ProvenanceInput>;

export const MadeFile = Type.Object(
  { ...file, node_key: Type.String({ description: 'The node that made it.' }) },
  { title: 'MadeFile' },
);
export type MadeFile = Static<typeof MadeFile>;

const run = {
  workflow_run_id: Type.Integer(),
  is_deleted: Type.Boolean({
    description: 'Whether the run was deleted: it cannot be opened or restarted.',
  }),
  status: RunStatus,
  test_run: Type.Boolean(),
  started_by: Type.Integer(),
  trigger_id: Type.Optional(Type.Integer()),
  created_at: Time,
  finished_at: Type.Optional(Time),
  workflow_id: Type.Integer(),
  workflow_name: Type.String({ description: 'As it is called now.' }),
  is_workflow_deleted: Type.Boolean(),
  workflow_version_id: Type.Integer(),
  version_number: Type.Integer(),
  until: Type.Optional(
    Type.String({ description: 'The node it ended with, where it ran a part of the version.' }),
  ),
  version_state: Type.Enum(['draft', 'published', 'archived'], {
    description: 'Now. An archived version cannot be run, but its runs can be restarted.',
  }),
};

export const MadeBy = Type.Object(
  {
    ...run,
    restarted_from_run_id: Type.Optional(Type.Integer()),
    is_version_changed: Type.Optional(Type.Boolean({ description: versionChanged })),
    node_run_id: Type.Integer(),
    node_key: Type.String(),
    node_title: Type.String(),
    shard_index: Type.Optional(Type.Integer({ description: 'The lane of a mapped node, from 0.' })),
    cached: Type.Boolean({ description: 'Taken over from an earlier run instead of run again.' }),
    computed_in_run_id: Type.Integer({
      description: 'The run whose container wrote the bytes: this one, unless `cached`.',
    }),
    node_definition_id: Type.Integer(),
    node_definition_name: Type.String(),
    node_definition_version: Type.String(),
    image: Type.String(),
    digest: Type.Optional(
      Type.String({ description: 'Absent if the definition names its image by a tag alone.' }),
    ),
    params: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'The node\'s params with defaults and variables. Secrets are references, `{"$secret": "NAME"}`, never values.',
    }),
    variables: Type.Record(Type.String(), Type.Unknown(), {
      description: "The run's variables, as a start takes them for `extra_variables`.",
    }),
  },
  { title: 'MadeBy' },
);
export type MadeBy = Static<typeof MadeBy>;

export const ProvenanceRun = Type.Object(
  {
    ...run,
    input_name: Type.String({ description: 'The input of the graph that the file was for.' }),
    position: Type.Integer({ description: 'Among the files of that input, from 0.' }),
    version: Type.Optional(
      Type.Integer({ description: 'The version of the file that went in, if that is known.' }),
    ),
    files: Type.Array(MadeFile, { description: 'The first five results that were made from it.' }),
    files_hidden: Type.Integer({
      description: 'How many of these the caller may not see: their rows tell nothing else.',
    }),
    more_files: Type.Boolean({
      description:
        'Whether there are more, or may be where many nodes end the graph: they are listed apart.',
    }),
  },
  { title: 'ProvenanceRun' },
);
export type ProvenanceRun = Static<typeof ProvenanceRun>;

export const Provenance = Type.Object(
  {
    cog_id: Type.Integer(),
    version: Type.Integer({ description: 'The content that this tells the origin of.' }),
    is_current: Type.Boolean(),
    origin: Type.Enum(['run', 'copied', 'restored', 'uploaded'], {
      title: 'Origin',
      description:
        '`run`: a result of a run. `copied`: the content of another file. `restored`: that of an earlier version. `uploaded`: by a user, and no run of this organization made it; so are copies from before copies were recorded, once all other files of the same content are gone.',
    }),
    stored_by: Type.Integer({ description: 'As `created_by` in the list of versions.' }),
    stored_at: Time,
    copied_from: Type.Optional(
      Type.Object(
        {
          state,
          cog_id: Type.Optional(Type.Integer()),
          current_name: Type.Optional(Type.String()),
          version: Type.Optional(Type.Integer()),
        },
        { title: 'CopiedFrom', description: 'Absent if it is not known.' },
      ),
    ),
    restored_from: Type.Optional(Type.Integer({ description: 'The version that was restored.' })),
    made_by: Type.Optional({
      ...MadeBy,
      description:
        'The run that made the content; also where the file is a copy of a result, or it was restored. To make it again: restart the run, or start `workflow_version_id` with `variables`, and `until` if there is one.',
    }),
    inputs: Type.Array(ProvenanceInput, {
      description:
        'The first 100 input files that it was made from: of a node that runs per file the file of its lane, of a node that gathers all files whose lanes lead to it.',
    }),
    inputs_total: Type.Integer({ description: 'How many input files it was made from.' }),
    inputs_hidden: Type.Integer({
      description: 'How many of `inputs` the caller may not see: their rows tell nothing else.',
    }),
    used_in: Type.Array(ProvenanceRun, {
      description: 'The newest 20 runs that any version of the file went into.',
    }),
    more_used_in: Type.Boolean({ description: 'Whether there are more: they are listed apart.' }),
  },
  { title: 'Provenance' },
);
export type Provenance = Static<typeof Provenance>;
