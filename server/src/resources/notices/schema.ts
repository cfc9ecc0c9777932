/** Schemas of notices and of what became of their messages. */
import type { RunOutcome } from '@cogworks/graph/statuses';
import { type Static, Type } from 'typebox';
import { newSecretOf, rotatedSecretOf } from '../../hooks/schema.ts';

const Time = Type.String({ format: 'date-time' });
const Id = Type.Integer({ minimum: 1 });

const outcomes = [
  'success',
  'partial_success',
  'failure',
  'cancelled',
] as const satisfies RunOutcome[];
const events = outcomes.map((outcome) => `run.${outcome}` as const);
const types = [...events, 'test' as const];

const Name = Type.String({ minLength: 1, maxLength: 200 });
export const mostUrlLength = 2000;
const Url = Type.String({
  minLength: 1,
  maxLength: mostUrlLength,
  description: 'https, at a public address. Redirects are not followed.',
  examples: ['https://example.com/hooks/cogworks'],
});
const Events = Type.Array(Type.Enum(events), {
  minItems: 1,
  maxItems: events.length,
  uniqueItems: true,
  description: 'How a run must have ended.',
});
const Secret = Type.String({
  minLength: 16,
  maxLength: 256,
  description: '`whsec_` and 24 to 64 bytes in base64; without it one is made.',
});

const fields = {
  id: Type.Integer(),
  name: Type.Optional(Type.String()),
  url: Type.Optional(
    Type.String({
      description:
        'What is called, unless it is sent by mail. For those who may not change the notice only its origin: the rest is often a password.',
    }),
  ),
  by_mail: Type.Boolean({
    description: 'It is sent by mail, to the address of who made it.',
  }),
  events: Type.Array(Type.Enum(events)),
  workflow_id: Type.Optional(
    Type.Integer({ description: 'Without it, runs of all workflows are told of.' }),
  ),
  enabled: Type.Boolean(),
  off_reason: Type.Optional(
    Type.Enum(['gone', 'failing'], {
      description:
        'Why it turned itself off: its receiver answered 410, or every attempt of five days failed.',
    }),
  ),
  failing_since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Every attempt has failed since then.' }),
  ),
  quiet_until: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Nothing is sent before: its receiver asked so (`Retry-After`).',
    }),
  ),
  created_by: Type.Integer({ description: 'While this user is disabled, nothing is sent.' }),
  created_at: Time,
  updated_at: Time,
};

export const Notice = Type.Object(fields, { title: 'Notice' });
export type Notice = Static<typeof Notice>;

export const CreatedNotice = Type.Object(
  {
    ...fields,
    secret: Type.Optional(
      Type.String({
        description: 'What messages are signed with, unless they are mails. Shown only here.',
      }),
    ),
  },
  { title: 'CreatedNotice' },
);
export type CreatedNotice = Static<typeof CreatedNotice>;

export const NewNotice = Type.Object(
  {
    name: Type.Optional(Name),
    url: Type.Optional(Url),
    by_mail: Type.Optional(
      Type.Boolean({
        description: 'Instead of `url`: sends a mail to my address. Cannot be changed afterwards.',
        default: false,
      }),
    ),
    events: Events,
    workflow_id: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Only runs of this workflow.' }),
    ),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    secret: Type.Optional(Secret),
  },
  { additionalProperties: false, title: 'NewNotice' },
);
export type NewNotice = Static<typeof NewNotice>;

export const NoticeChanges = Type.Object(
  {
    name: Type.Optional(Type.Union([Name, Type.Null()])),
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    workflow_id: Type.Optional(Type.Union([Id, Type.Null()])),
    enabled: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, minProperties: 1, title: 'NoticeChanges' },
);
export type NoticeChanges = Static<typeof NoticeChanges>;

export const NewNoticeSecret = newSecretOf(
  'NewNoticeSecret',
  Secret,
  'How long messages are signed with the old one as well.',
);
export type NewNoticeSecret = Static<typeof NewNoticeSecret>;

export const RotatedNoticeSecret = rotatedSecretOf('RotatedNoticeSecret');

const NoticeAttempt = Type.Object(
  {
    attempted_at: Time,
    duration_ms: Type.Integer(),
    status: Type.Optional(
      Type.Integer({
        description: 'Of the answer, of a mail server as well. Anything but 2xx is a failure.',
      }),
    ),
    error: Type.Optional(
      Type.String({ description: 'Why there was no answer, or what that of a mail server means.' }),
    ),
  },
  { title: 'NoticeAttempt' },
);

export const NoticeDelivery = Type.Object(
  {
    id: Type.Integer(),
    message_id: Type.String({
      description:
        'The `webhook-id` of all attempts, so that receivers recognise a repetition. Mails have it in their `Message-ID`.',
    }),
    type: Type.Enum(types),
    workflow_run_id: Type.Optional(Type.Integer()),
    state: Type.Enum(['waiting', 'delivered', 'failed'], {
      description: '`failed`: no more attempts are made.',
    }),
    next_attempt_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'Of one that waits.' }),
    ),
    attempts: Type.Array(NoticeAttempt, { description: 'The last fifty, in order.' }),
    created_at: Time,
  },
  { title: 'NoticeDelivery' },
);
export type NoticeDelivery = Static<typeof NoticeDelivery>;
