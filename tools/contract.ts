/**
 * `npm run contract`: generates the contract from the routes: `openapi.json` and the client's
 * types. With `--check` it writes nothing and fails if the committed files are stale.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeServer } from './contract/describe.ts';
import { generate } from './contract/generate.ts';

const root = join(import.meta.dirname, '..');
const document = await describeServer();
const files = {
  'openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'sdk/src/contract.gen.ts': generate(document),
};

const stale: string[] = [];
for (const [name, text] of Object.entries(files)) {
  const written = await readFile(join(root, name), 'utf8').catch(() => '');
  if (written !== text) stale.push(name);
}

if (process.argv.includes('--check')) {
  if (stale.length > 0) {
    console.error(`The routes say something else than ${stale.join(' and ')}.`);
    console.error('Run `npm run contract`, look at the difference, and commit it with the routes.');
    process.exitCode = 1;
  }
} else {
  for (const name of stale) await writeFile(join(root, name), files[name as keyof typeof files]);
  console.log(stale.length === 0 ? 'The contract is as it was.' : `Wrote ${stale.join(', ')}.`);
}
