/**
 * `npm run texts`: writes the texts that are marked in the dashboard's source into
 * dashboard/texts/en.po, and updates the translations beside it. `--check` only tells whether they
 * are up to date.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { catalogues, freshCatalogues } from './texts/catalogue.ts';

await mkdir(catalogues, { recursive: true });
for (const [name, fresh] of await freshCatalogues()) {
  const path = join(catalogues, name);
  if ((await readFile(path, 'utf8').catch(() => '')) === fresh) continue;
  if (process.argv.includes('--check')) {
    console.error(`dashboard/texts/${name} is not up to date. Run \`npm run texts\`.`);
    process.exitCode = 1;
  } else {
    await writeFile(path, fresh);
  }
}
