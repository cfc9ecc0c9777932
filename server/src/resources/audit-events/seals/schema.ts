/** Schemas of the seals of events. */
import { type Static, Type } from 'typebox';

export const Head = Type.String({
  pattern: '^[0-9]{1,15}:[0-9a-f]{64}$',
  description: 'The number of the last block, 0 before there is one, and its seal.',
});

export const AuditHead = Type.Object(
  {
    head: Head,
    sealed_at: Type.Optional(Type.String({ format: 'date-time' })),
  },
  { title: 'AuditHead' },
);

const AuditFault = Type.Object(
  {
    fault: Type.Enum(
      ['event_changed', 'event_missing', 'event_added', 'block_changed', 'block_missing'],
      { description: '`event_added`: later, under an id that was sealed already.' },
    ),
    block: Type.Optional(
      Type.Integer({ description: 'Absent for an added event after the last block.' }),
    ),
    event_id: Type.Optional(Type.Integer()),
  },
  { title: 'AuditFault' },
);
export type AuditFault = Static<typeof AuditFault>;

const LateBlock = Type.Object(
  {
    block: Type.Integer(),
    sealed_at: Type.String({ format: 'date-time' }),
    events: Type.Integer({ description: 'That had happened more than an hour before.' }),
  },
  { title: 'LateAuditBlock' },
);
export type LateBlock = Static<typeof LateBlock>;

export const AuditVerification = Type.Object(
  {
    is_intact: Type.Boolean(),
    blocks: Type.Integer({ description: 'That were compared.' }),
    events: Type.Integer({ description: 'In these blocks.' }),
    unsealed_events: Type.Integer({ description: 'Too new to be in a block.' }),
    late_events: Type.Integer({
      description:
        'Sealed more than an hour after they happened, because no engine ran, or because they happened before events were sealed: a change in that time shows no other way. Without such a reason somebody changed events and had them sealed again.',
    }),
    late_blocks: Type.Array(LateBlock, { description: 'The first hundred with such events.' }),
    kept_head: Type.Optional(
      Type.Enum(['fits', 'differs', 'removed'], {
        description:
          'Whether the head that was given is in the chain; `removed`: its block is too old to be kept.',
      }),
    ),
    faults: Type.Array(AuditFault, { description: 'The first hundred.' }),
  },
  { title: 'AuditVerification' },
);
export type AuditVerification = Static<typeof AuditVerification>;
