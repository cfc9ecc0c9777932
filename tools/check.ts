/** `npm run check`: types, lint and format, house rules, and whether the contract is up to date. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const bin = (name: string) => join(root, 'node_modules/.bin', name);

const checks: [string, string, string[]][] = [
  ['types', bin('tsc'), ['-p', '.']],
  ['types of the dashboard', bin('tsc'), ['-p', 'dashboard']],
  ['lint and format', bin('biome'), ['check', '--error-on-warnings']],
  ['house rules', process.execPath, ['--test', '--test-reporter=dot', 'tools/tidy.test.ts']],
  ['marked texts', process.execPath, ['--test', '--test-reporter=dot', 'tools/texts.test.ts']],
  ['catalogue of texts', process.execPath, ['tools/texts.ts', '--check']],
  ['contract', process.execPath, ['tools/contract.ts', '--check']],
];

// Runs all, even after a failure, so that all faults are reported at once.
const results = await Promise.all(
  checks.map(([name, command, args]) => check(name, command, args)),
);
process.exitCode = results.every(Boolean) ? 0 : 1;

function check(name: string, command: string, args: string[]): Promise<boolean> {
  const began = performance.now();
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    child.once('error', (error) => {
      output += error.message;
    });
    child.once('close', (code) => {
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      console.log(`${code === 0 ? '✔' : '✖'} ${name} (${seconds} s)`);
      if (code !== 0) console.log(output.trim());
      resolve(code === 0);
    });
  });
}
