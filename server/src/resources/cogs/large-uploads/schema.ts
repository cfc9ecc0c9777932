/** Schemas of uploads in several steps. */
import { type Static, Type } from 'typebox';
import { Cog, ItemError, Name } from '../schema.ts';
import { leastChunk, mostChunk, mostFileBytes, mostParts, usualChunk } from './layout.ts';

export const UploadId = Type.Object({ upload_id: Type.Integer() });

const FileSize = Type.Integer({ minimum: 0, maximum: mostFileBytes });
const MimeType = Type.String({ maxLength: 255 });
const Sha256 = Type.String({
  pattern: '^[0-9a-fA-F]{64}$',
  description: 'Hexadecimal. The file is made only if its bytes have this checksum.',
});

const ChunkSize = Type.Integer({
  minimum: leastChunk,
  maximum: mostChunk,
  description: `Of every part but the last. ${usualChunk} unless given; raised so that there are at most ${mostParts} parts.`,
});

export const NewUpload = Type.Object(
  {
    name: Type.Optional(Name),
    parent_id: Type.Optional(Type.Integer({ description: 'The root unless given.' })),
    cog_id: Type.Optional(
      Type.Integer({
        description: 'Instead of `name` and `parent_id`: the file that gets a new version.',
      }),
    ),
    file_size: FileSize,
    mime_type: Type.Optional(MimeType),
    chunk_size: Type.Optional(ChunkSize),
    checksum_sha256: Type.Optional(Sha256),
  },
  { additionalProperties: false },
);
export type NewUpload = Static<typeof NewUpload>;

const PartUrl = Type.Object(
  {
    part_number: Type.Integer(),
    url: Type.String({ description: 'For a PUT of exactly this size, without credentials.' }),
    size_bytes: Type.Integer(),
  },
  { title: 'PartUrl' },
);
export type PartUrl = Static<typeof PartUrl>;

const begun = {
  upload_id: Type.Integer(),
  storage_upload_id: Type.String(),
  chunk_size: Type.Integer(),
  expires_at: Type.String({ format: 'date-time' }),
};

export const BegunUpload = Type.Object(
  { ...begun, parts: Type.Array(PartUrl, { description: 'The URLs are good for an hour.' }) },
  { title: 'BegunUpload' },
);
export type BegunUpload = Static<typeof BegunUpload>;

export const uploadStates = ['open', 'completing', 'done', 'aborted', 'expired', 'failed'] as const;

export const UploadRecord = Type.Object(
  {
    ...begun,
    name: Type.String(),
    parent_id: Type.Optional(Type.Integer()),
    cog_id: Type.Optional(Type.Integer({ description: 'The file, once there is one.' })),
    file_size: Type.Integer(),
    mime_type: Type.String(),
    checksum_sha256: Type.Optional(Type.String({ description: 'As declared.' })),
    state: Type.Enum([...uploadStates], {
      title: 'UploadState',
      description: '`completing`: a confirmation is under way. `failed`: the checksum was wrong.',
    }),
    verified_bytes: Type.Integer({ description: 'Read again so far to compute the checksum.' }),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'UploadRecord' },
);
export type UploadRecord = Static<typeof UploadRecord>;

export const UploadDetails = Type.Object(
  {
    ...UploadRecord.properties,
    is_stored: Type.Boolean({
      description: 'All bytes are there; only a confirmation is missing.',
    }),
    parts: Type.Array(
      Type.Object(
        { part_number: Type.Integer(), size_bytes: Type.Integer(), etag: Type.String() },
        { title: 'StoredPart' },
      ),
      { description: 'The stored ones; empty once they have been put together.' },
    ),
  },
  { title: 'UploadDetails' },
);
export type UploadDetails = Static<typeof UploadDetails>;

export const WantedParts = Type.Object(
  {
    part_numbers: Type.Array(Type.Integer({ minimum: 1, maximum: mostParts }), {
      minItems: 1,
      maxItems: mostParts,
      uniqueItems: true,
    }),
  },
  { additionalProperties: false },
);

export const PartUrls = Type.Object({ parts: Type.Array(PartUrl) }, { title: 'PartUrls' });

const PartsJson = Type.Unsafe<unknown>({
  type: ['array', 'string'],
  description:
    'A list, or JSON of one, with `part_number` and `etag` of every part in any order. `PartNumber` and `ETag` are understood too.',
  items: { type: 'object' },
});

export const Confirmation = Type.Object(
  {
    upload_id: Type.Integer(),
    storage_upload_id: Type.String({ maxLength: 1024 }),
    file_size: Type.Integer({ minimum: 0 }),
    parts_json: PartsJson,
    parent_id: Type.Optional(Type.Integer({ description: 'Another folder than announced.' })),
    name: Type.Optional(Type.String({ description: 'Another name than announced.' })),
  },
  { title: 'Confirmation', additionalProperties: false },
);
export type Confirmation = Static<typeof Confirmation>;

export const Verifying = Type.Object(
  {
    state: Type.Literal('verifying'),
    verified_bytes: Type.Integer(),
    file_size: Type.Integer(),
  },
  { title: 'Verifying', description: 'Repeat the confirmation to wait on.' },
);
export type Verifying = Static<typeof Verifying>;

/** Files of one request. */
const mostFiles = 500;

export const AbortedUploads = Type.Object(
  { upload_ids: Type.Array(Type.Integer(), { minItems: 1, maxItems: mostFiles }) },
  { additionalProperties: false },
);

export const NewBatch = Type.Object(
  {
    parent_id: Type.Optional(Type.Integer({ description: 'The root unless given.' })),
    chunk_size: Type.Optional(ChunkSize),
    existing: Type.Optional(
      Type.Enum(['refuse', 'version', 'changed'], {
        description:
          'What becomes of files whose name is taken by a file: an error, a new version of it, or a new version only where the size or the `checksum_sha256` differs. An error unless given; always if a folder has the name.',
      }),
    ),
    files: Type.Array(
      Type.Object(
        {
          path: Type.String({
            minLength: 1,
            maxLength: 4096,
            description:
              'The name, after the folders it is in below `parent_id`, separated by "/".',
          }),
          file_size: FileSize,
          mime_type: Type.Optional(MimeType),
          checksum_sha256: Type.Optional(Sha256),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: mostFiles },
    ),
  },
  { additionalProperties: false },
);
export type NewBatch = Static<typeof NewBatch>;

export const BegunBatch = Type.Object(
  {
    uploads: Type.Array(
      Type.Object(
        {
          path: Type.String(),
          upload: Type.Optional(BegunUpload),
          cog_id: Type.Optional(
            Type.Integer({ description: 'The file of which it becomes a new version.' }),
          ),
          is_unchanged: Type.Optional(
            Type.Literal(true, {
              description:
                'With `existing: changed`: the file `cog_id` has this content, and nothing is to be sent.',
            }),
          ),
          error: Type.Optional(ItemError),
        },
        { title: 'BatchUpload' },
      ),
      {
        description: 'In the order of the files, each with an upload, an error or `is_unchanged`.',
      },
    ),
  },
  { title: 'BegunBatch' },
);

const OneConfirmation = Type.Object(
  {
    ...Confirmation.properties,
    if_match: Type.Optional(
      Type.String({ description: 'As the header of a request of its own, for a new version.' }),
    ),
  },
  { title: 'OneConfirmation', additionalProperties: false },
);
export type OneConfirmation = Static<typeof OneConfirmation>;

export const Confirmations = Type.Object(
  { uploads: Type.Array(OneConfirmation, { minItems: 1, maxItems: mostFiles }) },
  { additionalProperties: false },
);

export const Confirmed = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          upload_id: Type.Integer(),
          cog: Type.Optional(Cog),
          verifying: Type.Optional(Verifying),
          error: Type.Optional(ItemError),
        },
        { title: 'ConfirmedUpload' },
      ),
      { description: 'In the order of the confirmations, each with a cog or why there is none.' },
    ),
  },
  { title: 'ConfirmedUploads' },
);
