/**
 * The server's entry point: reads the configuration, builds the parts, starts one role.
 *
 *     serve     API, sign-in, storage, engine, and a local worker (the default)
 *     engine    only what makes runs progress, beside other servers on the same database
 *     migrate   brings the database to this release's schema and ends
 */
import { ConfigError, readConfig } from './config.ts';
import { runEngine } from './roles/engine.ts';
import { migrateOnly } from './roles/migrate.ts';
import { surviveOutput } from './roles/output.ts';
import { serve } from './roles/serve.ts';

surviveOutput();
const roles = { serve, engine: runEngine, migrate: migrateOnly };

const name = process.argv[2] ?? 'serve';
try {
  if (!(name in roles))
    throw new ConfigError(`Unknown role "${name}". Roles: ${Object.keys(roles).join(', ')}.`);
  await roles[name as keyof typeof roles](readConfig());
} catch (error) {
  // Errors an operator can fix are one sentence; others come with their stack.
  if (error instanceof ConfigError) console.error(error.message);
  else console.error(error);
  process.exit(1);
}
