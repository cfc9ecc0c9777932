/** The address of a cell: the key of its node, and its lane unless the node runs once. Pure. */

export type CellPlace = { node_key: string; shard_index?: number | undefined };

export function placeOfCell(text: string): CellPlace {
  const [, node_key, lane] = /^(.*):(\d+)$/s.exec(text) ?? [];
  return node_key === undefined ? { node_key: text } : { node_key, shard_index: Number(lane) };
}

export const cellOf = ({ node_key, shard_index }: CellPlace): string =>
  shard_index === undefined ? node_key : `${node_key}:${shard_index}`;
