/**
 * Runs the demo's registry as long as the server, from the first demo on and again at each start,
 * so that the demo's workflow can be run again. It listens only on this machine, with a password,
 * and only if a demo has run.
 */
import { watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRegistry } from '../containers/registry.ts';
import { readSettings, settingsFile } from './registry-settings.ts';

const longestPause_ms = 30_000;

type Log = (line: string) => void;

export async function keepDemoRegistry(dataDir: string, log: Log): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  let isKept = false;
  const begin = () => {
    if (!isKept) void keep(dataDir, log);
    isKept = true;
  };
  const watcher = watch(dataDir, (_, name) => {
    if (name === settingsFile) begin();
  });
  watcher.unref();
  watcher.on('error', (error) => log(`A demo is not noticed before the next start: ${error}`));
  // After the watch has begun, so that no demo is missed in between.
  if (await readSettings(dataDir)) begin();
}

/** Restarts it when it ends, with increasing pauses, because another program may have its port. */
async function keep(dataDir: string, log: Log): Promise<never> {
  let told = '';
  for (let failures = 0; ; ) {
    const words = await runOnce(dataDir).then(
      () => {
        failures = 0;
        return "The demo's registry has ended and is started again.";
      },
      (error: unknown) => {
        failures += 1;
        return `The demo's registry does not start, so the demo's workflow cannot run: ${error}`;
      },
    );
    if (words !== told) log(words);
    told = words;
    await sleep(Math.min(longestPause_ms, 500 * 2 ** failures), undefined, { ref: false });
  }
}

/** @returns when the registry has ended. @throws when it did not start. */
async function runOnce(dataDir: string): Promise<void> {
  const settings = await readSettings(dataDir);
  if (!settings) throw new Error(`${settingsFile} is gone`);
  const registry = await startRegistry(settings);
  process.once('exit', registry.kill);
  await registry.exited;
  process.off('exit', registry.kill);
}
