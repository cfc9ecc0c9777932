/** The schema of what a tenant may use and has used. */
import { type Static, Type } from 'typebox';

export const Subscription = Type.Object(
  {
    storage_used_bytes: Type.Integer({
      description:
        'Of all stored contents, earlier versions and the trash included. Copies share their bytes and count once. Previews do not count.',
    }),
    storage_limit_bytes: Type.Optional(
      Type.Integer({
        description:
          'Absent without a limit. Bytes reserved by uploads under way count against it as well.',
      }),
    ),
  },
  { title: 'Subscription' },
);
export type Subscription = Static<typeof Subscription>;
