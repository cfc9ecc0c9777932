/** SQL of the files in work orders, with their storage keys. */
import type { Tag } from '../../db/statement.ts';
import type { InputPlace, WantedFiles } from '../attempts/inputs.ts';

export type StoredFile = {
  name: string;
  size_bytes: number;
  checksum_sha256: string;
  /** The key of its object in the storage. */
  key: string;
  /** The node run that produced it; 0 for an input of the graph. */
  node_run_id: number;
  position: number;
};

/** `number` identifies the request that a row belongs to. */
type Named = {
  number: number;
  tenant_id: number;
  run_id: number;
  /** Only files from here on. */
  start: Omit<InputPlace, 'edge'>;
  /** Maximum number of files; undefined: all. */
  most: number | undefined;
};
type Found = StoredFile & { wanted: number };

/** A position above all others. */
const last = 2 ** 31 - 1;

/** Looked up by key for each file: a join might first read all objects of the tenant. */
const keyOf = (db: Tag) => db`
  (select key from objects where tenant_id = wanted.tenant_id and id = file.object_id) as key
`;

export const findWantedInputs = (
  db: Tag,
  wanted: readonly (Named & Extract<WantedFiles, { from: 'input' }>)[],
) => db<Found[]>`
  select wanted.number as wanted, file.name, file.size_bytes, file.checksum_sha256, ${keyOf(db)},
    0 as node_run_id, file.position
  from unnest(
    ${wanted.map(({ number }) => number)}::int[],
    ${wanted.map(({ tenant_id }) => tenant_id)}::bigint[],
    ${wanted.map(({ run_id }) => run_id)}::bigint[],
    ${wanted.map(({ input }) => input)}::text[],
    ${wanted.map(({ lane, start }) => Math.max(lane ?? 0, start.position))}::int[],
    ${wanted.map(({ lane }) => lane ?? last)}::int[],
    ${wanted.map(({ most }) => most ?? last)}::int[]
  ) as wanted (number, tenant_id, run_id, input_name, first, last, most)
  cross join lateral (
    select *
    from run_files
    where tenant_id = wanted.tenant_id and run_id = wanted.run_id and direction = 'input'
      and input_name = wanted.input_name and position between wanted.first and wanted.last
    order by position
    limit wanted.most
  ) as file
`;

export const findWantedOutputs = (
  db: Tag,
  wanted: readonly (Named & Extract<WantedFiles, { from: 'outputs' }>)[],
) => db<Found[]>`
  select wanted.number as wanted, file.name, file.size_bytes, file.checksum_sha256, ${keyOf(db)},
    file.node_run_id, file.position
  from unnest(
    ${wanted.map(({ number }) => number)}::int[],
    ${wanted.map(({ tenant_id }) => tenant_id)}::bigint[],
    ${wanted.map(({ ids, start }) => Math.max(ids.first, start.node_run_id))}::bigint[],
    ${wanted.map(({ ids }) => ids.first + ids.count - 1)}::bigint[],
    ${wanted.map(({ output }) => output)}::text[],
    ${wanted.map(({ place }) => place ?? 0)}::int[],
    ${wanted.map(({ place }) => place ?? last)}::int[],
    ${wanted.map(({ start }) => start.node_run_id)}::bigint[],
    ${wanted.map(({ start }) => start.position)}::int[],
    ${wanted.map(({ most }) => most ?? last)}::int[]
  ) as wanted (number, tenant_id, first_id, last_id, port, first, last, start_id, start_position, most)
  cross join lateral (
    select *
    from node_run_outputs
    where tenant_id = wanted.tenant_id
      and node_run_id between wanted.first_id and wanted.last_id
      and port = wanted.port and position between wanted.first and wanted.last
      and (node_run_id > wanted.start_id or position >= wanted.start_position)
    order by node_run_id, position
    limit wanted.most
  ) as file
`;
