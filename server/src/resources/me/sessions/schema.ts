/** The schema of a place where somebody is signed in. */
import { type Static, Type } from 'typebox';

const Time = Type.String({ format: 'date-time' });

export const Session = Type.Object(
  {
    id: Type.Integer(),
    device: Type.String({ description: 'Browser and system, such as `Firefox on Linux`.' }),
    address: Type.String({ description: 'The network address of the last sign-in.' }),
    created_at: Time,
    last_used_at: Type.String({
      format: 'date-time',
      description: 'When its tokens were made or renewed last; used ones are renewed every hour.',
    }),
    is_current: Type.Boolean({ description: 'Whether this request belongs to it.' }),
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;
