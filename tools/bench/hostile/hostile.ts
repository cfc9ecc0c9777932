/**
 * `npm run bench -- hostile [--checkout DIR] [--seconds N] [--only NAME,…]`: the effect of a
 * hostile tenant on a quiet one. The quiet tenant's process sends requests at a fixed rate, first
 * without and then during an attack, which comes from a third process.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Connection } from '../../../server/src/db/connection.ts';
import { quantile } from '../measure.ts';
import { startBenchServer } from '../server.ts';
import { attacks } from './attacks.ts';
import type { Samples } from './probe.ts';
import { type Scene, setScene } from './scene.ts';

/** Time for an attack to take effect before the measurement. */
const warmUp_ms = 1000;

export async function hostile(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      checkout: { type: 'string', default: '.' },
      seconds: { type: 'string', default: '20' },
      only: { type: 'string' },
    },
  });
  const seconds = Number(values.seconds);
  const names = values.only?.split(',') ?? Object.keys(attacks);
  const server = await startBenchServer(resolve(values.checkout));
  try {
    const scene = await setScene(server);
    const prober = child('probe.ts', scene);
    await answerOf(prober, 60);
    const measure = (): Promise<Samples> => {
      prober.send(seconds);
      return answerOf(prober, seconds + 60) as Promise<Samples>;
    };
    for (const name of names) {
      // Measured again each time, because the machine's other load changes.
      const quiet = await measure();
      tell('quiet', quiet, quiet);
      const under = await underAttack(scene, name, measure);
      tell(name, under.samples, quiet);
      console.log(`  the attack: ${under.told}`);
      await untilCalm(scene, server.db);
    }
    prober.kill('SIGKILL');
  } finally {
    await server.stop();
  }
}

async function underAttack(scene: Scene, name: string, measure: () => Promise<Samples>) {
  const attacker = child('attacks.ts', { name, scene });
  try {
    await delay(warmUp_ms);
    const samples = await measure();
    attacker.send('stop');
    return { samples, told: String(await answerOf(attacker, 30)) };
  } finally {
    attacker.kill('SIGKILL');
  }
}

async function answerOf(child: ChildProcess, seconds: number): Promise<unknown> {
  const [answer] = await once(child, 'message', { signal: AbortSignal.timeout(seconds * 1000) });
  return answer;
}

/**
 * Waits until the work left by an attack is done, so that it does not affect the next. At most five
 * minutes.
 */
async function untilCalm({ url, quiet }: Scene, db: Connection) {
  const headers = { authorization: `Bearer ${quiet.token}` };
  const deadline = performance.now() + 300_000;
  for (let inRow = 0; inRow < 40 && performance.now() < deadline; ) {
    const began = performance.now();
    await fetch(`${url}/me`, { headers }).catch(() => {});
    const took_ms = performance.now() - began;
    const [busy] = await db`
      select from pg_stat_activity
      where backend_type in ('client backend', 'autovacuum worker')
        and (state <> 'idle' or backend_type <> 'client backend') and pid <> pg_backend_pid()
    `;
    inRow = took_ms < 50 && !busy ? inRow + 1 : 0;
    await delay(50);
  }
}

function child(file: string, task: unknown): ChildProcess {
  const process = fork(join(import.meta.dirname, file), { stdio: 'inherit' });
  process.send(task as object);
  return process;
}

function tell(name: string, samples: Samples, quiet: Samples) {
  for (const [request, { times_ms, failed }] of Object.entries(samples)) {
    const p50 = quantile(times_ms, 0.5);
    const p99 = quantile(times_ms, 0.99);
    const factor = p99 / quantile(quiet[request]?.times_ms ?? [], 0.99);
    console.log(
      `${name.padEnd(10)} ${request.padEnd(10)} p50 ${ms(p50)}  p99 ${ms(p99)}  ×${factor.toFixed(1)}  of ${times_ms.length}${failed > 0 ? `, ${failed} failed` : ''}`,
    );
  }
}

const ms = (value: number) => `${value.toFixed(1)} ms`.padStart(11);
