/** Schemas of triggers and of what became of their ticks. */
import { type Static, Type } from 'typebox';
import { newSecretOf, rotatedSecretOf } from '../../hooks/schema.ts';
import { presets } from '../../hooks/signatures.ts';

const Time = Type.String({ format: 'date-time' });
const Id = Type.Integer({ minimum: 1 });

const Overlap = Type.Enum(['allow', 'skip', 'queue_one', 'cancel_running'], {
  description:
    'When a run of it that was not started by hand has not ended: `allow` starts another, `skip` none, `queue_one` the newest one afterwards, `cancel_running` cancels it first.',
});
const CatchUp = Type.Enum(['none', 'latest', 'all'], {
  description:
    'Ticks missed while no server ran: none of them (those less than a minute old still fire), the latest, or all of the last seven days, at most 100.',
});
const ClockChanges = Type.Object(
  {
    gap: Type.Enum(['shift', 'skip'], {
      description:
        'A time that clocks leave out: moved by the length of the gap (02:30 becomes 03:30), or left out.',
    }),
    overlap: Type.Enum(['first', 'second', 'both'], { description: 'A time that comes twice.' }),
  },
  {
    additionalProperties: false,
    description:
      'For times of the day. A schedule whose minute or hour begins with `*` follows elapsed time instead.',
  },
);

const Cron = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Minute, hour, day of month, month, day of week.',
  examples: ['0 7 * * MON-FRI'],
});
const Timezone = Type.String({ minLength: 1, maxLength: 64, examples: ['Europe/Berlin'] });
const CogIds = Type.Array(Id, {
  maxItems: 1000,
  uniqueItems: true,
  description: 'What each run begins with; a folder stands for the files in it at that moment.',
});
const Pointer = Type.String({
  maxLength: 1000,
  description: 'A JSON pointer (RFC 6901) into the body of a message.',
  examples: ['/order/id'],
});
const Mapping = Type.Object(
  {
    extra_variables: Type.Optional(
      Type.Record(Type.String(), Pointer, {
        maxProperties: 200,
        description: 'What variables get. If there is no such value, the variable has its default.',
      }),
    ),
    cog_ids: Type.Optional(
      Type.String({
        ...Pointer,
        description: 'An id, or a list of ids, of files and folders below `folder_id`.',
      }),
    ),
  },
  { additionalProperties: false, description: 'What the run gets from the body of a message.' },
);
export type Mapping = Static<typeof Mapping>;
const PresetName = Type.Enum([...presets], {
  description:
    'How messages are signed: as Standard Webhooks, or as GitHub, GitLab (19.0 or newer), Stripe or Slack do.',
});
const Secret = Type.String({
  minLength: 16,
  maxLength: 256,
  description:
    'Where the sender gives it; otherwise it is made. For `standard` and `gitlab`: `whsec_` and 24 to 64 bytes in base64.',
});
const MediaTypes = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: 50,
  description: 'Of files that count, for example `image/*`; all of them if there is none.',
});
const Debounce = Type.Integer({
  minimum: 0,
  maximum: 3600,
  description:
    'A run starts when no file has come for so long (or files have come for ten times as long), over all that came. 10 unless given.',
});
const Recursive = Type.Boolean({
  description: 'Whether files in folders below count as well; they do unless told otherwise.',
});
// No defaults in the schema of what one type alone has: they would be filled in for the others too.
const types = ['schedule', 'webhook', 'folder'] as const;

const Variables = Type.Record(Type.String(), Type.Unknown());
const Name = Type.String({ minLength: 1, maxLength: 200 });

const fields = {
  id: Type.Integer(),
  name: Type.String(),
  type: Type.Enum([...types]),
  workflow_id: Type.Integer(),
  workflow_version_id: Type.Optional(
    Type.Integer({ description: 'Without it, the published version runs.' }),
  ),
  cog_ids: Type.Array(Type.Integer()),
  extra_variables: Variables,
  enabled: Type.Boolean(),
  off_reason: Type.Optional(
    Type.Enum(['run_as_disabled', 'refused_repeatedly', 'taken_over'], {
      description:
        'Why it is off, unless somebody turned it off. `taken_over`: an admin made it run as another user, who has to turn it on.',
    }),
  ),
  run_as_user_id: Type.Integer({ description: 'Runs start with what this user may do.' }),
  cron: Type.Optional(Type.String({ description: 'From here to `next_fire_at`: of a schedule.' })),
  timezone: Type.Optional(Type.String()),
  overlap: Type.Optional(Overlap),
  catch_up: Type.Optional(CatchUp),
  dst: Type.Optional(ClockChanges),
  next_fire_at: Type.Optional(Time),
  public_id: Type.Optional(Type.String({ description: 'From here to `folder_id`: of a webhook.' })),
  url: Type.Optional(Type.String({ description: 'Where senders post their messages.' })),
  preset: Type.Optional(PresetName),
  mapping: Type.Optional(Mapping),
  folder_id: Type.Optional(
    Type.Integer({
      description: 'Of a webhook: a message may name what is below it. Of a folder: that folder.',
    }),
  ),
  recursive: Type.Optional(Recursive),
  media_types: Type.Optional(MediaTypes),
  debounce_seconds: Type.Optional(Debounce),
  last_fired_at: Type.Optional(Time),
  last_status: Type.Optional(
    Type.String({ description: 'Of its last run, or of its last tick if that started none.' }),
  ),
  created_by: Type.Integer(),
  created_at: Time,
  updated_at: Time,
};

export const Trigger = Type.Object(fields, { title: 'Trigger' });
export type Trigger = Static<typeof Trigger>;

export const CreatedTrigger = Type.Object(
  {
    ...fields,
    secret: Type.Optional(
      Type.String({ description: 'Of a webhook: what its sender signs with. Shown only here.' }),
    ),
    warnings: Type.Optional(
      Type.Array(Type.String(), { description: 'What may surprise, in words.' }),
    ),
  },
  { title: 'CreatedTrigger' },
);
export type CreatedTrigger = Static<typeof CreatedTrigger>;

export const NewTrigger = Type.Object(
  {
    name: Name,
    type: Type.Enum([...types]),
    workflow_id: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Its published version runs.' }),
    ),
    workflow_version_id: Type.Optional(
      Type.Integer({ minimum: 1, description: 'This version runs, instead of the published one.' }),
    ),
    cog_ids: Type.Optional(CogIds),
    extra_variables: Type.Optional(Variables),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    cron: Type.Optional(Cron),
    timezone: Type.Optional(Timezone),
    overlap: Type.Optional(Overlap),
    catch_up: Type.Optional(CatchUp),
    dst: Type.Optional(Type.Partial(ClockChanges)),
    preset: Type.Optional(PresetName),
    secret: Type.Optional(Secret),
    mapping: Type.Optional(Mapping),
    folder_id: Type.Optional(Id),
    recursive: Type.Optional(Recursive),
    media_types: Type.Optional(MediaTypes),
    debounce_seconds: Type.Optional(Debounce),
  },
  { additionalProperties: false, title: 'NewTrigger' },
);
export type NewTrigger = Static<typeof NewTrigger>;

export const TriggerChanges = Type.Object(
  {
    name: Type.Optional(Name),
    workflow_id: Type.Optional(Id),
    workflow_version_id: Type.Optional(Type.Union([Id, Type.Null()])),
    cog_ids: Type.Optional(CogIds),
    extra_variables: Type.Optional(Variables),
    enabled: Type.Optional(Type.Boolean()),
    run_as_user_id: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Oneself: nobody names others.' }),
    ),
    cron: Type.Optional(Cron),
    timezone: Type.Optional(Timezone),
    overlap: Type.Optional(Overlap),
    catch_up: Type.Optional(CatchUp),
    dst: Type.Optional(Type.Partial(ClockChanges)),
    mapping: Type.Optional(Mapping),
    folder_id: Type.Optional(Type.Union([Id, Type.Null()])),
    recursive: Type.Optional(Recursive),
    media_types: Type.Optional(MediaTypes),
    debounce_seconds: Type.Optional(Debounce),
  },
  { additionalProperties: false, minProperties: 1, title: 'TriggerChanges' },
);
export type TriggerChanges = Static<typeof TriggerChanges>;

export const Firing = Type.Object(
  {
    id: Type.Integer(),
    source: Type.Enum(['tick', 'hand', 'message', 'files']),
    tick_at: Type.String({
      format: 'date-time',
      description: 'When it was due by the schedule, or asked for.',
    }),
    state: Type.Enum(['waiting', 'fired', 'skipped', 'refused', 'superseded', 'dropped']),
    reason: Type.Optional(Type.String()),
    ticks: Type.Integer({
      description: 'More than one for ticks that were dropped together, counted up to 500.',
    }),
    until: Type.Optional(Time),
    workflow_run_id: Type.Optional(Type.Integer()),
    decided_at: Time,
  },
  { title: 'Firing' },
);
export type Firing = Static<typeof Firing>;

export const ComingTick = Type.Object(
  {
    at: Time,
    local_time: Type.String({
      description: 'What clocks show there.',
      examples: ['2027-03-28 03:30'],
    }),
  },
  { title: 'ComingTick' },
);

export const NewSecret = newSecretOf(
  'NewTriggerSecret',
  Secret,
  'How long messages that the old secret has signed are still accepted.',
);
export type NewSecret = Static<typeof NewSecret>;

export const RotatedSecret = rotatedSecretOf('RotatedTriggerSecret');

const delivery = {
  id: Type.Integer(),
  verdict: Type.Enum(['accepted', 'repeated', 'answered', 'refused', 'disabled', 'bad_signature'], {
    description:
      '`repeated`: a message of the last 24 hours again, answered with its run. `answered`: a test of the address, which starts nothing.',
  }),
  status: Type.Integer({ description: 'Of the answer.' }),
  message_id: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  workflow_run_id: Type.Optional(Type.Integer()),
  redelivery_of: Type.Optional(Type.Integer()),
  size_bytes: Type.Integer(),
  has_body: Type.Boolean({
    description: 'Whether it can be shown and delivered again: for seven days, up to 64 KB.',
  }),
  received_at: Time,
};
export const Delivery = Type.Object(delivery, { title: 'Delivery' });
export type Delivery = Static<typeof Delivery>;
export const DeliveryWithBody = Type.Object(
  { ...delivery, body: Type.Optional(Type.String()) },
  { title: 'DeliveryWithBody' },
);
export type DeliveryWithBody = Static<typeof DeliveryWithBody>;
