/** Who this worker is: got once for an enrolment token, kept in a file that only its user may read. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@cogworks/sdk/client';
import type { AgentOptions } from './agent.ts';

export type Identity = { id: number; token: string };

const fileOf = (options: AgentOptions) => join(options.stateDir, 'worker.json');

/** @throws Error that says what to do when there is neither a stored identity nor an enrolment token. */
export async function loadIdentity(options: AgentOptions): Promise<Identity> {
  const stored = await readFile(fileOf(options), 'utf8').catch(() => undefined);
  if (stored !== undefined) return JSON.parse(stored) as Identity;
  if (!options.enrollmentToken) {
    throw new Error(
      'This worker is not enrolled yet: start it once with COGWORKS_ENROLLMENT_TOKEN=wet_…',
    );
  }
  const { id, worker_token } = await createClient({ baseUrl: options.baseUrl }).enrollWorker({
    body: {
      enrollment_token: options.enrollmentToken,
      name: options.name,
      labels: options.labels,
      capacity: options.capacity,
      version: '0.1.0',
    },
  });
  const identity = { id, token: worker_token };
  await mkdir(options.stateDir, { recursive: true, mode: 0o700 });
  const fresh = `${fileOf(options)}.new`;
  await writeFile(fresh, JSON.stringify(identity), { mode: 0o600 });
  await rename(fresh, fileOf(options));
  return identity;
}

export const forgetIdentity = (options: AgentOptions) => rm(fileOf(options), { force: true });
