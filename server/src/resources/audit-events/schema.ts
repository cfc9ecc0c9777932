/** The schema of an audit event. */
import { type Static, Type } from 'typebox';

export const AuditEvent = Type.Object(
  {
    id: Type.Integer(),
    actor_id: Type.Optional(
      Type.Integer({ description: 'The user; absent for what the system did of itself.' }),
    ),
    action: Type.String({ description: 'For example `permission.granted`.' }),
    target_type: Type.String(),
    target_id: Type.Optional(Type.String()),
    details: Type.Record(Type.String(), Type.Unknown()),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'AuditEvent' },
);
export type AuditEvent = Static<typeof AuditEvent>;

export const AuditEventFilters = {
  action: Type.Optional(Type.String({ maxLength: 100 })),
  target_type: Type.Optional(Type.String({ maxLength: 100 })),
  actor_id: Type.Optional(Type.Integer()),
};
