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

const existing = Type.Optional(
  Type.Enum(['refuse', 'number'], {
    description:
      'What becomes of those whose name is taken: an error, or a number after it, `a (2).txt`. An error unless given.',
  }),
);

export const Selection = Type.Object({ cog_ids }, { additionalProperties: false });

export const SelectionMove = Type.Object(
  { cog_ids, parent_id: Type.Integer({ description: 'The folder they go into.' }) },
  { additionalProperties: false },
);

export const SelectionCopy = Type.Object(
  {
    cog_ids,
    parent_id: Type.Integer({ description: 'The folder the copies go into.' }),
    existing,
  },
  { additionalProperties: false },
);

export const SelectionRestoration = Type.Object(
  {
    cog_ids,
    existing,
  },
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

export const CopiedCogs = Type.Object(
  {
    results: Type.Array(
      Type.Object({ cog_id, cog: Type.Optional(Cog), error }, { title: 'CogCopy' }),
      { description: 'In the order of the ids, each with its copy or an error.' },
    ),
  },
  { title: 'CopiedCogs' },
);
export type CopiedCogs = Static<typeof CopiedCogs>;

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
