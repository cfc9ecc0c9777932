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

/** Looked up by its key for each file: a join may read all objects of the tenant first. */
const keyOf = (db: Tag) => db`
  (select key from objects where tenant_id = wanted.tenant_id and id = file.object_id) as key
`;

export const findWantedInputs = (
  db: Tag,
  wanted: readonly (Named & Extract<WantedFiles, { from: 'input' }>)[],
) => db<Found[]>`
  select wanted.number as wanted, file.name, file.size_bytes, file.checksum_sha256, ${keyOf(db)}
  from unnest(
    ${wanted.map(({ number }) => number)}::int[],
    ${wanted.map(({ tenant_id }) => tenant_id)}::bigint[],
    ${wanted.map(({ run_id }) => run_id)}::bigint[],
    ${wanted.map(({ input }) => input)}::text[],
    ${wanted.map(({ lane }) => lane ?? 0)}::int[],
    ${wanted.map(({ lane }) => lane ?? last)}::int[]
  ) as wanted (number, tenant_id, run_id, input_name, first, last)
  cross join lateral (
    select *
    from run_files
    where tenant_id = wanted.tenant_id and run_id = wanted.run_id and direction = 'input'
      and input_name = wanted.input_name and position between wanted.first and wanted.last
    order by position
  ) as file
`;

export const findWantedOutputs = (
  db: Tag,
  wanted: readonly (Named & Extract<WantedFiles, { from: 'outputs' }>)[],
) => db<Found[]>`
  select wanted.number as wanted, file.name, file.size_bytes, file.checksum_sha256, ${keyOf(db)}
  from unnest(
    ${wanted.map(({ number }) => number)}::int[],
    ${wanted.map(({ tenant_id }) => tenant_id)}::bigint[],
    ${wanted.map(({ ids }) => ids.first)}::bigint[],
    ${wanted.map(({ ids }) => ids.first + ids.count - 1)}::bigint[],
    ${wanted.map(({ output }) => output)}::text[],
    ${wanted.map(({ place }) => place ?? 0)}::int[],
    ${wanted.map(({ place }) => place ?? last)}::int[]
  ) as wanted (number, tenant_id, first_id, last_id, port, first, last)
  cross join lateral (
    select *
    from node_run_outputs
    where tenant_id = wanted.tenant_id
      and node_run_id between wanted.first_id and wanted.last_id
      and port = wanted.port and position between wanted.first and wanted.last
    order by node_run_id, position
  ) as file
`;
