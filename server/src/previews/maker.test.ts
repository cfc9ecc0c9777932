import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { until } from '../../test/until.ts';
import { usualLimits } from '../limits.ts';
import { startMaker } from './maker.ts';

const skip = process.platform !== 'linux' && 'processes are looked up in /proc';

/** A server that has started a process for previews. */
const program = `
  import { usualLimits } from ${JSON.stringify(import.meta.resolve('../limits.ts'))};
  import { startMaker } from ${JSON.stringify(import.meta.resolve('./maker.ts'))};
  startMaker(usualLimits.previews);
`;

const childrenOf = async (pid: number): Promise<number[]> =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => ''))
    .split(' ')
    .filter(Boolean)
    .map(Number);

/** The youngest child of a process that runs Node.js, and its own children. */
const makerOf = (server: number) =>
  until('the process has started', async () => {
    const pid = (await childrenOf(server)).at(-1) ?? 0;
    const command = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    return /^[^\0]*node\0--permission/.test(command) && [pid, ...(await childrenOf(pid))];
  });

/** A zombie has ended; only its exit status has not been read. */
async function isAlive(pid: number) {
  const state = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ') Z ');
  return !/^ Z /.test(state.slice(state.lastIndexOf(')') + 1));
}

const haveEnded = (pids: readonly number[]) =>
  until('they have ended', async () => !(await Promise.all(pids.map(isAlive))).includes(true));

/** A server whose file descriptors are used up, all but some. */
const exhausted = `
  import { closeSync, openSync } from 'node:fs';
  import { usualLimits } from ${JSON.stringify(import.meta.resolve('../limits.ts'))};
  import { openMakers } from ${JSON.stringify(import.meta.resolve('./makers.ts'))};
  const makers = openMakers(usualLimits.previews);
  const task = { kind: 'png', size: 256, size_bytes: 3, copyTo: async (begin) => begin().write('png') };
  const make = () =>
    makers.make(1, task).then(() => 'made', ({ problem, message }) => problem ?? message);
  const open = [];
  try {
    for (;;) open.push(openSync('/dev/null'));
  } catch {}
  const answers = [];
  for (let left = 0; left < 12; left += 1) {
    answers.push(await make());
    closeSync(open.pop());
  }
  for (const one of open) closeSync(one);
  const others = answers.filter((answer) => answer !== 'made');
  console.log(JSON.stringify([...new Set(others), await make()]));
  await makers.close();
`;

describe('the process that makes previews', { skip }, () => {
  it('ends with a server that is killed, even if it hangs and notices nothing', async () => {
    const server = spawn(process.execPath, ['--input-type=module', '-e', program]);
    const [maker = 0, ...others] = await makerOf(server.pid ?? 0);
    process.kill(maker, 'SIGSTOP');

    server.kill('SIGKILL');

    await haveEnded([maker, ...others]);
  });

  it('is missed, and nothing else, where there are too few file descriptors', async () => {
    const node = [process.execPath, '--input-type=module', '-e', exhausted];
    const run = ['-c', 'ulimit -n 64; exec "$0" "$@"', ...node];

    const { stdout } = await promisify(execFile)('/bin/sh', run);

    assert.deepEqual(JSON.parse(stdout), ['unavailable', 'made']);
  });

  it('leaves nothing when it is ended', async () => {
    const maker = startMaker(usualLimits.previews);
    const all = await makerOf(process.pid);

    await maker.kill();

    await haveEnded(all);
  });
});
