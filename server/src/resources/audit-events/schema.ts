/** The schema of an audit event. */
import { type Static, Type } from 'typebox';

export const AuditEvent = Type.Object(
  {
    id: Type.Integer(),
    actor_id: Type.Optional(
      Type.Integer({ description: 'The user; absent for what the system did of itself.' }),
    ),
    key_id: Type.Optional(Type.Integer({ description: 'The API key that was used, if one was.' })),
    request_id: Type.Optional(
      Type.String({ description: 'The `X-Request-Id` of the answer, which the log has as well.' }),
    ),
    action: Type.String({ description: 'For example `permission.granted`.' }),
    target_type: Type.String(),
    target_id: Type.Optional(Type.String()),
    target_name: Type.Optional(
      Type.String({
        description: 'What the target is called now, as far as it still exists and has a name.',
      }),
    ),
    details: Type.Record(Type.String(), Type.Unknown()),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'AuditEvent' },
);
export type AuditEvent = Static<typeof AuditEvent>;

const Time = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', description }));

/** Actions of events that tell what was tried and did not work; all others tell what was done. */
export const failures = [
  'invitation.mail_refused',
  'notice.paused',
  'trigger.paused',
  'user.sign_in_failed',
] as const;

export const AuditEventFilters = {
  action: Type.Optional(
    Type.String({ maxLength: 100, description: 'How it begins, such as `permission.`' }),
  ),
  actor_id: Type.Optional(Type.Integer({ description: 'Who did it.' })),
  user_id: Type.Optional(Type.Integer({ description: 'Who did it, or to whom it was done.' })),
  outcome: Type.Optional(
    Type.Enum(['done', 'failed'], {
      description: `\`failed\`: what was tried and did not work: ${failures.join(', ')}.`,
    }),
  ),
  target_type: Type.Optional(Type.String({ maxLength: 100 })),
  target_id: Type.Optional(Type.String({ maxLength: 100 })),
  from: Time('Not before.'),
  to: Time('Before.'),
};

export const AuditEventFormat = {
  format: Type.Optional(
    Type.Enum(['json', 'csv'], {
      description:
        'As CSV all events that match come, not a page. `Accept: text/csv` says the same.',
    }),
  ),
};
