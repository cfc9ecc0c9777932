/** Schemas of triggers and of what became of their ticks. */
import { type Static, Type } from 'typebox';

const Time = Type.String({ format: 'date-time' });
const Id = Type.Integer({ minimum: 1 });

const Overlap = Type.Enum(['allow', 'skip', 'queue_one', 'cancel_running'], {
  description:
    'When a run of it has not ended: `allow` starts another, `skip` none, `queue_one` the newest one afterwards, `cancel_running` cancels it first.',
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
const Variables = Type.Record(Type.String(), Type.Unknown());
const Name = Type.String({ minLength: 1, maxLength: 200 });

const fields = {
  id: Type.Integer(),
  name: Type.String(),
  type: Type.Enum(['schedule']),
  workflow_id: Type.Integer(),
  workflow_version_id: Type.Optional(
    Type.Integer({ description: 'Without it, the published version runs.' }),
  ),
  cog_ids: Type.Array(Type.Integer()),
  extra_variables: Variables,
  enabled: Type.Boolean(),
  off_reason: Type.Optional(
    Type.Enum(['run_as_disabled', 'refused_repeatedly'], {
      description: 'Why it turned itself off.',
    }),
  ),
  run_as_user_id: Type.Integer({ description: 'Runs start with what this user may do.' }),
  cron: Type.String(),
  timezone: Type.String(),
  overlap: Overlap,
  catch_up: CatchUp,
  dst: ClockChanges,
  next_fire_at: Type.Optional(Time),
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
    warnings: Type.Optional(
      Type.Array(Type.String(), { description: 'What may surprise, in words.' }),
    ),
  },
  { title: 'CreatedTrigger' },
);

export const NewTrigger = Type.Object(
  {
    name: Name,
    type: Type.Enum(['schedule']),
    workflow_id: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Its published version runs.' }),
    ),
    workflow_version_id: Type.Optional(
      Type.Integer({ minimum: 1, description: 'This version runs, instead of the published one.' }),
    ),
    cog_ids: Type.Optional(CogIds),
    extra_variables: Type.Optional(Variables),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    cron: Cron,
    timezone: Type.Optional(Timezone),
    overlap: Type.Optional(Overlap),
    catch_up: Type.Optional(CatchUp),
    dst: Type.Optional(Type.Partial(ClockChanges)),
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
  },
  { additionalProperties: false, minProperties: 1, title: 'TriggerChanges' },
);
export type TriggerChanges = Static<typeof TriggerChanges>;

export const Firing = Type.Object(
  {
    id: Type.Integer(),
    source: Type.Enum(['tick', 'hand']),
    tick_at: Type.String({
      format: 'date-time',
      description: 'When it was due, by the schedule.',
    }),
    state: Type.Enum(['waiting', 'fired', 'skipped', 'refused', 'superseded', 'dropped']),
    reason: Type.Optional(Type.String()),
    ticks: Type.Integer({ description: 'More than one for ticks that were dropped together.' }),
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
