/** Stored bytes that differ from the record: lost by the disk, or changed by another program. */
import { randomUUID } from 'node:crypto';
import { DomainError } from '../errors.ts';

export type Damage = 'missing' | 'truncated' | 'overlong';

/** For an object recorded as complete. `found_bytes` is what the storage holds, if anything. */
export class DamagedObject extends DomainError {
  readonly key: string;
  readonly damage: Damage;
  readonly size_bytes: number;
  readonly found_bytes: number | undefined;

  constructor(key: string, size_bytes: number, found_bytes: number | undefined) {
    super(
      'damaged',
      'The stored bytes of this file are damaged. Ask whoever runs this server to restore them, or upload the file again.',
      { code: 'object_damaged', error_id: randomUUID() },
    );
    this.key = key;
    this.size_bytes = size_bytes;
    this.found_bytes = found_bytes;
    this.damage =
      found_bytes === undefined ? 'missing' : found_bytes < size_bytes ? 'truncated' : 'overlong';
  }
}
