/**
 * `npm run screenshots`: a picture of every screen, dialog and menu that the browser tests look at,
 * light and dark, wide and narrow, with an index to leaf through. They run on servers of their own,
 * with content. `npm run screenshots -- FOLDER` keeps them elsewhere than in screenshots/; test files
 * after the folder are those that are run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');
const [into = join(root, 'screenshots'), ...wanted] = process.argv.slice(2);
const folder = resolve(into);

await mkdir(folder, { recursive: true });
// Of screens that are no more; other files stay.
for (const name of await pictures()) await rm(join(folder, name));

const tests = wanted.length > 0 ? wanted : await testsThatLook();
const child = spawn(process.execPath, ['tools/test.ts', ...tests], {
  cwd: root,
  env: { ...process.env, SCREENSHOTS: folder },
  stdio: 'inherit',
});
child.once('error', (error) => console.error(error.message));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
const [code] = await once(child, 'exit');

const kept = await pictures();
await writeFile(join(folder, 'index.html'), indexOf(kept));
console.log(`${kept.length} pictures are in ${folder}; open index.html there.`);
process.exitCode = code ?? 1;

async function testsThatLook(): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob('dashboard/e2e/*.test.ts', { cwd: root })) {
    if ((await readFile(join(root, file), 'utf8')).includes('checkLooks(')) files.push(file);
  }
  return files.sort();
}

async function pictures(): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => /-(1280|360)-(light|dark)\.png$/.test(name)).sort();
}

/** Names of pictures consist of letters, digits and dashes. */
function indexOf(names: readonly string[]): string {
  const looks = Map.groupBy(names, (name) => name.replace(/-(1280|360)-(light|dark)\.png$/, ''));
  const parts = [...looks].map(([look, of]) => {
    const images = of.map((name) => `<a href="${name}"><img src="${name}" alt="${name}"></a>`);
    return `<h2>${look.replaceAll('-', ' ')}</h2><p>${images.join('')}</p>`;
  });
  return `<!doctype html><meta charset="utf-8"><title>Screens of Cogworks</title>
<style>body { font-family: sans-serif; margin: 2rem } img { height: 260px; margin: 0 8px 8px 0; border: 1px solid #ccc }</style>
<h1>Screens of Cogworks</h1>
${parts.join('\n')}
`;
}
