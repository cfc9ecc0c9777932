/** Runs the tests' PostgreSQL until Ctrl-C, for working on single test files with `node --test`. */
import { startEmbedded } from '../server/src/db/embedded.ts';
import { testPostgresDir } from '../server/test/database.ts';
import { throwAwaySettings } from './test-settings.ts';

const server = await startEmbedded(testPostgresDir, { settings: throwAwaySettings });
console.log('The test database runs; Ctrl-C stops it.');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.stop());
