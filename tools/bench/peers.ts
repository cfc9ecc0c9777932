/**
 * Other products, measured by scripts outside this repository: each prints one line of JSON. A
 * script that is missing or fails is left out, and the result says so.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export type Peers = {
  /** Runs a script for one round. @returns its result; undefined if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: each script has numbers of its own
  measure(script: string, ...args: string[]): Promise<any>;
  /** Why a script gave no result. */
  missing(script: string): string | undefined;
};

/** @param dir undefined: no peers. @param seconds of the longest measurement. */
export function openPeers(dir: string | undefined, seconds: number): Peers {
  const missing = new Map<string, string>();
  return {
    missing: (script) => (dir === undefined ? 'not asked for' : missing.get(script)),
    async measure(script, ...args) {
      if (dir === undefined || missing.has(script)) return undefined;
      const file = join(dir, script);
      if (!existsSync(file)) {
        missing.set(script, 'not present');
        console.log(`  ${script} is not in ${dir}; left out.`);
        return undefined;
      }
      console.log(`  ${script} …`);
      const env = { ...process.env, ROUNDS: '1', SECONDS: String(seconds) };
      const child = spawn(process.execPath, [file, ...args], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
        // On the first run the script installs what it measures.
        timeout: 900_000,
      });
      const exited = once(child, 'exit');
      exited.catch(() => undefined);
      let said = '';
      for await (const text of child.stdout.setEncoding('utf8')) said += text;
      const [code] = await exited.catch((error: Error) => [error.message]);
      if (code === 0) return JSON.parse(said.trim().split('\n').at(-1) ?? '');
      missing.set(script, `failed (${code})`);
      console.log(`  ${script} failed (${code}); left out from now on.`);
      return undefined;
    },
  };
}
