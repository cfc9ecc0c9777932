/** SQL of the files that work orders name, with where their bytes are. */
import type { Tag } from '../../db/statement.ts';
import type { WantedFiles } from '../attempts/inputs.ts';

export type StoredFile = {
  name: string;
  size_bytes: number;
  checksum_sha256: string;
  /** Of its object in the storage. */
  key: string;
};

/** `number`: by which what was found is told apart. */
type Named = { number: number; tenant_id: number; run_id: number };
type Found = StoredFile & { wanted: number };

/** A place that none is beyond. */
const last = 2 ** 31 - 1;

export const findWantedInputs = (
  db: Tag,
  wanted: readonly (Named & Extract<WantedFiles, { from: 'input' }>)[],
) => db<Found[]>`
  select wanted.number as wanted, file.name, file.size_bytes, file.checksum_sha256, key
  from unnest(
    ${wanted.map(({ number }) => number)}::int[],
    ${wanted.map(({ tenant_id }) => tenant_id)}::bigint[],
    ${wanted.map(({ run_id }) => run_id)}::bigint[],
    ${wanted.map(({ input }) => input)}::text[],
    ${wanted.map(({ lane }) => lane ?? 0)}::int[],
    ${wanted.map(({ lane }) => lane ?? last)}::int[]
  ) as wanted (number, tenant_id, run_id, input_name, first, last)
  join run_files as file
    on file.tenant_id = wanted.tenant_id and file.run_id = wanted.run_id
    and file.direction = 'input' and file.input_name = wanted.input_name
    and file.position between wanted.first and wanted.last
  join objects on objects.tenant_id = file.tenant_id and objects.id = file.object_id
  order by wanted.number, file.position
`;

export const findWantedOutputs = (
  db: Tag,
  wanted: readonly (Named & Extract<WantedFiles, { from: 'outputs' }>)[],
) => db<Found[]>`
  select wanted.number as wanted, file.name, file.size_bytes, file.checksum_sha256, key
  from unnest(
    ${wanted.map(({ number }) => number)}::int[],
    ${wanted.map(({ tenant_id }) => tenant_id)}::bigint[],
    ${wanted.map(({ ids }) => ids.first)}::bigint[],
    ${wanted.map(({ ids }) => ids.first + ids.count - 1)}::bigint[],
    ${wanted.map(({ output }) => output)}::text[],
    ${wanted.map(({ place }) => place ?? 0)}::int[],
    ${wanted.map(({ place }) => place ?? last)}::int[]
  ) as wanted (number, tenant_id, first_id, last_id, port, first, last)
  join node_run_outputs as file
    on file.tenant_id = wanted.tenant_id
    and file.node_run_id between wanted.first_id and wanted.last_id
    and file.port = wanted.port and file.position between wanted.first and wanted.last
  join objects on objects.tenant_id = file.tenant_id and objects.id = file.object_id
  order by wanted.number, file.node_run_id, file.position
`;
