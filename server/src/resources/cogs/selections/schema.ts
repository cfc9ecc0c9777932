/** Schemas of changes of many cogs at once. */
import { type Static, Type } from 'typebox';
import { Cog, ItemError, RestoredCog } from '../schema.ts';

/** Cogs of one request. */
export const mostCogs = 500;

const cog_ids = Type.Array(Type.Integer(), {
  minItems: 1,
  maxItems: mostCogs,
  description: 'An id that comes twice has its outcome twice.',
});

export const Selection = Type.Object({ cog_ids }, { additionalProperties: false });

export const SelectionMove = Type.Object(
  { cog_ids, parent_id: Type.Integer({ description: 'The folder they go into.' }) },
  { additionalProperties: false },
);

const error = Type.Optional(ItemError);
const cog_id = Type.Integer();

export const MovedCogs = Type.Object(
  {
    results: Type.Array(
      Type.Object({ cog_id, cog: Type.Optional(Cog), error }, { title: 'MovedCog' }),
      { description: 'In the order of the ids, each with a cog or an error.' },
    ),
  },
  { title: 'MovedCogs' },
);
export type MovedCogs = Static<typeof MovedCogs>;

export const RestoredCogs = Type.Object(
  {
    results: Type.Array(
      Type.Object({ cog_id, cog: Type.Optional(RestoredCog), error }, { title: 'CogRestoration' }),
      { description: 'In the order of the ids, each with a cog or an error.' },
    ),
  },
  { title: 'RestoredCogs' },
);
export type RestoredCogs = Static<typeof RestoredCogs>;

export const RemovedCogs = Type.Object(
  {
    results: Type.Array(Type.Object({ cog_id, error }, { title: 'RemovedCog' }), {
      description: 'In the order of the ids; an error says why one is still there.',
    }),
  },
  { title: 'RemovedCogs' },
);
export type RemovedCogs = Static<typeof RemovedCogs>;
