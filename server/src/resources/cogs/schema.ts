/** Schemas of files and folders. */
import { type Static, Type } from 'typebox';
import { Level } from '../permissions/schema.ts';

export const cogTypes = ['master_folder', 'asset_folder', 'file'] as const;

export const CogId = Type.Object({ id: Type.Integer() });

/** The number of a version, as far as the database can hold it. */
export const VersionNumber = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 });

/** Requests that change the content of a file. */
export const IfMatch = Type.Object({ 'if-match': Type.Optional(Type.String()) });

export const Cog = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    cog_type: Type.Enum([...cogTypes], { title: 'CogType' }),
    parent_id: Type.Optional(Type.Integer({ description: 'Absent for the root.' })),
    owner_id: Type.Integer({
      description: 'Who made it, or took it over. What they may do is said by grants.',
    }),
    size_bytes: Type.Optional(Type.Integer()),
    mime_type: Type.Optional(Type.String()),
    checksum_sha256: Type.Optional(Type.String({ description: 'Hexadecimal.' })),
    version: Type.Optional(Type.Integer({ description: 'Counts the contents of a file, from 1.' })),
    test_results: Type.Optional(
      Type.Boolean({
        description:
          'True for the folder with the results of a test, absent otherwise. It is removed 24 hours after its run has ended; until then nothing is put into it, and it is not renamed, moved or deleted.',
      }),
    ),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    access: Type.Object(
      {
        level: Level,
        can_upload: Type.Boolean(),
        can_share: Type.Boolean(),
        can_delete: Type.Boolean(),
      },
      { title: 'Access', description: "The caller's effective right." },
    ),
  },
  { title: 'Cog' },
);
export type Cog = Static<typeof Cog>;

export const TreeCog = Type.Object(
  {
    ...Cog.properties,
    path: Type.String({
      description: 'The names from the listed folder down to it, separated by "/".',
    }),
  },
  { title: 'TreeCog' },
);
export type TreeCog = Static<typeof TreeCog>;

export const AboveCog = Type.Object(
  { id: Cog.properties.id, name: Cog.properties.name, cog_type: Cog.properties.cog_type },
  { title: 'AboveCog' },
);
export type AboveCog = Static<typeof AboveCog>;

const above = Type.Optional(
  Type.Array(AboveCog, {
    description:
      'With `with_above=true`: the folders above it that the caller may see, from the root. Absent if the folder that it was in is deleted.',
  }),
);

export const PlacedCog = Type.Object({ ...Cog.properties, above }, { title: 'PlacedCog' });

/** Query parameter of lists whose rows are from many folders. */
export const WithAbove = {
  with_above: Type.Optional(Type.Boolean({ description: 'Adds `above` to each row.' })),
};

const expires_in = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 86_400, description: 'Seconds; an hour unless given.' }),
);

export const DownloadUrlRequest = Type.Object(
  {
    expires_in,
    version: Type.Optional({
      ...VersionNumber,
      description: 'Of a file; the one that is current at the time of use unless given.',
    }),
    inline: Type.Optional(
      Type.Boolean({ description: 'To be shown instead of saved, as for a download.' }),
    ),
  },
  { additionalProperties: false, title: 'DownloadUrlRequest' },
);
export type DownloadUrlRequest = Static<typeof DownloadUrlRequest>;

export const SelectionUrlRequest = Type.Object(
  { expires_in, cog_ids: Type.Array(Type.Integer(), { minItems: 1, maxItems: 1000 }) },
  { additionalProperties: false, title: 'SelectionUrlRequest' },
);
export type SelectionUrlRequest = Static<typeof SelectionUrlRequest>;

export const DownloadUrl = Type.Object(
  {
    id: Type.Integer(),
    cog_ids: Type.Array(Type.Integer()),
    version: Type.Optional(Type.Integer()),
    inline: Type.Boolean(),
    created_by: Type.Integer(),
    created_at: Type.String({ format: 'date-time' }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'DownloadUrl' },
);
export type DownloadUrl = Static<typeof DownloadUrl>;

export const NewDownloadUrl = Type.Object(
  { ...DownloadUrl.properties, url: Type.String() },
  { title: 'NewDownloadUrl' },
);
export type NewDownloadUrl = Static<typeof NewDownloadUrl>;

const { access: Access, ...ofEveryCog } = Cog.properties;

export const TrashedCog = Type.Object(
  {
    ...ofEveryCog,
    deleted_at: Type.String({ format: 'date-time' }),
    deleted_by: Type.Integer(),
    expires_at: Type.String({ format: 'date-time', description: 'When it is removed for ever.' }),
    above,
  },
  { title: 'TrashedCog' },
);
export type TrashedCog = Static<typeof TrashedCog>;

export const RestoredCog = Type.Object(
  { ...ofEveryCog, access: Type.Optional(Access) },
  {
    title: 'RestoredCog',
    description: 'Without `access` for those who deleted it and have no access to it any more.',
  },
);
export type RestoredCog = Static<typeof RestoredCog>;

export const FileVersion = Type.Object(
  {
    version: Type.Integer(),
    size_bytes: Type.Integer(),
    mime_type: Type.String(),
    checksum_sha256: Type.String(),
    created_by: Type.Integer(),
    created_at: Type.String({ format: 'date-time' }),
    is_current: Type.Boolean(),
    restored_from: Type.Optional(
      Type.Integer({ description: 'The version whose content was restored by this one.' }),
    ),
  },
  { title: 'FileVersion' },
);
export type FileVersion = Static<typeof FileVersion>;

export const Name = Type.String({
  description: 'One to 255 bytes of UTF-8 without "/" and control characters; stored as NFC.',
});

export const NewFolder = Type.Object(
  {
    name: Name,
    cog_type: Type.Literal('asset_folder'),
    parent_id: Type.Optional(Type.Integer({ description: 'The root unless given.' })),
  },
  { additionalProperties: false },
);
export type NewFolder = Static<typeof NewFolder>;

export const Restoration = Type.Object(
  { name: Type.Optional(Name) },
  { additionalProperties: false },
);

export const NewCopy = Type.Object(
  {
    parent_id: Type.Integer({ description: 'The folder to copy it into.' }),
    name: Type.Optional({ ...Name, description: 'Its own unless given.' }),
  },
  { additionalProperties: false },
);
export type NewCopy = Static<typeof NewCopy>;

export const NewOwner = Type.Object(
  {
    user_id: Type.Integer({ description: 'Of the tenant, and active.' }),
    keep_access: Type.Optional(
      Type.Enum(['none', 'viewer', 'editor', 'owner'], {
        description:
          'The own grant of the owner until now on the cog: this level, or none. Unless given, it stays as it is.',
      }),
    ),
    recursive: Type.Optional(
      Type.Boolean({
        description:
          'Also everything below that has the same owner. Their own grants there go with `keep_access`.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type NewOwner = Static<typeof NewOwner>;

export const CogChanges = Type.Object(
  { name: Type.Optional(Name), parent_id: Type.Optional(Type.Integer()) },
  { additionalProperties: false },
);
export type CogChanges = Static<typeof CogChanges>;

export const sorts = [
  'name',
  '-name',
  'created_at',
  '-created_at',
  'updated_at',
  '-updated_at',
  'size_bytes',
  '-size_bytes',
] as const;
export type Sort = (typeof sorts)[number];

/** Query parameters that filter and order a list of cogs. */
export const CogFilters = {
  sort: Type.Optional(
    Type.Enum([...sorts], {
      description:
        '`name` unless given; `-` for descending. Names are in natural order: `scan 2` before `scan 10`, and case and accents count only between names that are equal without them.',
    }),
  ),
  cog_type: Type.Optional(Type.Enum([...cogTypes])),
  name: Type.Optional(Type.String({ description: 'Exactly this name.' })),
};
export type CogFilters = {
  sort?: Sort;
  cog_type?: (typeof cogTypes)[number];
  name?: string;
};

/** Why one item of a request with many was refused. */
export const ItemError = Type.Object(
  {
    status: Type.Integer({ description: 'Of the answer, if it were a request of its own.' }),
    detail: Type.Unsafe<unknown>({ description: 'As in the answer to a request of its own.' }),
    code: Type.Optional(Type.String()),
  },
  { title: 'ItemError' },
);
