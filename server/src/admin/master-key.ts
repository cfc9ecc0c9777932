/** Replaces the master key: at regular times, or because the old one may have leaked. */
import { randomBytes } from 'node:crypto';
import { masterKeyFile, masterKeyOf, newMasterKeyFile, writeKey } from '../keys/master-keys.ts';
import { rotateMasterKey } from '../keys/rotation.ts';
import type { Parts } from './command.ts';

/** @returns a message for the operator; it includes the key only if there is no file for it. */
export async function replaceMasterKey({ config, db, tell }: Parts): Promise<string> {
  const next = masterKeyOf(randomBytes(32));
  if (config.master_key !== undefined) {
    const text = next.key.toString('base64');
    // Printed before anything depends on the key: a command that is killed afterwards loses
    // nothing.
    tellOfLeft(await rotateMasterKey(config, db, next, async () => tell?.(text)));
    console.error(
      'All keys are sealed anew. Set MASTER_KEY to the value printed; with the old one no server starts any more.',
    );
    return text;
  }

  const keep = () => writeKey(newMasterKeyFile(config), next);
  tellOfLeft(await rotateMasterKey(config, db, next, keep));
  console.error(
    'Servers that run have the new key already. Back up the new file; backups of the database from before need the old one.',
  );
  return `All keys are sealed anew with ${masterKeyFile(config)}.`;
}

function tellOfLeft(tenants: number[]) {
  if (tenants.length === 0) return;
  console.error(
    `The old key did not open the keys of these tenants, so they are as they were: ${tenants.join(', ')}. Their secrets have to be stored again.`,
  );
}
