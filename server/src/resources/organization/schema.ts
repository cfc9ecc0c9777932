/** The schema of the caller's organization. */
import { type Static, Type } from 'typebox';

const name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' });

export const Organization = Type.Object(
  { id: Type.Integer({ description: 'The `tenant_id` of its users.' }), name: Type.String() },
  { title: 'Organization' },
);
export type Organization = Static<typeof Organization>;

export const OrganizationChanges = Type.Object(
  { name },
  { additionalProperties: false, title: 'OrganizationChanges' },
);
export type OrganizationChanges = Static<typeof OrganizationChanges>;
