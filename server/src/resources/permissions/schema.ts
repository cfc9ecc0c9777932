/** Schemas of grants and of effective access. */
import { type Static, Type } from 'typebox';
import { levels } from './rules.ts';

const capability = (what: string) =>
  Type.Optional(
    Type.Boolean({
      description: `Overrides what the level says about ${what}; absent: it decides.`,
    }),
  );

const overrides = {
  can_upload: capability('adding and changing'),
  can_share: capability('sharing'),
  can_delete: capability('deleting'),
};

export const Level = Type.Enum([...levels], { title: 'Level' });

export const Permission = Type.Object(
  {
    permission_id: Type.Integer(),
    target_type: Type.Literal('cog'),
    target_id: Type.Integer({ description: 'The cog that the grant sits on.' }),
    user_id: Type.Integer(),
    level: Level,
    expires_at: Type.Optional(Type.String({ format: 'date-time' })),
    ...overrides,
    created_by: Type.Integer(),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    inherited: Type.Optional(
      Type.Boolean({ description: 'Present when the grant sits on a folder above.' }),
    ),
    inherited_from: Type.Optional(Type.Integer({ description: 'That folder.' })),
    overridden: Type.Optional(
      Type.Boolean({ description: 'Present when a nearer grant of the user decides instead.' }),
    ),
  },
  { title: 'Permission' },
);
export type Permission = Static<typeof Permission>;

export type GrantValues = Pick<
  Permission,
  'level' | 'expires_at' | 'can_upload' | 'can_share' | 'can_delete'
>;

export const NewPermission = Type.Object(
  {
    target_type: Type.Literal('cog'),
    target_id: Type.Integer({ description: 'The id in the path.' }),
    user_id: Type.Integer(),
    level: Level,
    expires_at: Type.Optional(Type.String({ format: 'date-time' })),
    ...overrides,
  },
  { additionalProperties: false },
);
export type NewPermission = Static<typeof NewPermission>;

const change = Type.Optional(Type.Union([Type.Boolean(), Type.Null()]));

export const PermissionChanges = Type.Object(
  {
    level: Type.Optional(Level),
    expires_at: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
    can_upload: change,
    can_share: change,
    can_delete: change,
  },
  { additionalProperties: false, description: 'null clears a value.' },
);
export type PermissionChanges = Static<typeof PermissionChanges>;

export const EffectiveAccess = Type.Object(
  {
    cog_id: Type.Integer(),
    user_id: Type.Integer(),
    level: Type.Optional(Level),
    can_upload: Type.Boolean(),
    can_share: Type.Boolean(),
    can_delete: Type.Boolean(),
    reason: Type.Enum(['tenant_admin', 'grant', 'root', 'workflow_outputs', 'none'], {
      description:
        '`root`, `workflow_outputs`: every member sees the root and the folder of all results, and creates in them. `none`: no access.',
    }),
    grant: Type.Optional(Permission),
    explanation: Type.String({
      description:
        'The same in words, for example: Editor, through the grant on “Clients”, two folders up. A folder that the caller may not see is not named.',
    }),
  },
  { title: 'EffectiveAccess' },
);
export type EffectiveAccess = Static<typeof EffectiveAccess>;
