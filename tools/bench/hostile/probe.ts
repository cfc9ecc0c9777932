/**
 * The quiet tenant's process: sends requests at a fixed rate, whether or not the last one was
 * answered, so that a stall of the server affects all requests of that time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Scene } from './scene.ts';

/** By kind of request. One without an answer counts with the time waited. */
export type Samples = Record<string, { times_ms: number[]; failed: number }>;

const perSecond = 10;
const longest_ms = 30_000;

if (process.send) {
  process.once('message', async (scene) => {
    const requests = requestsOf(scene as Scene);
    // Opens connections and compiles code before the measurement.
    for (let count = 0; count < 20; count += 1) {
      await Promise.all(Object.values(requests).map((send) => send()));
    }
    process.on('message', async (seconds) => {
      process.send?.(await measure(requests, seconds as number));
    });
    process.send?.('warm');
  });
}

type Requests = Record<string, () => Promise<Response>>;

function requestsOf({ url, quiet }: Scene): Requests {
  const user = { authorization: `Bearer ${quiet.token}` };
  return {
    'GET /me': () => ask(`${url}/me`, user),
    'GET /cogs/': () => ask(`${url}/cogs/`, user),
    heartbeat: () =>
      ask(
        `${url}/workers/${quiet.worker.id}/heartbeat`,
        { authorization: `Bearer ${quiet.worker.token}`, 'content-type': 'application/json' },
        JSON.stringify({ attempts: [] }),
      ),
    '/healthz': () => ask(`${url}/healthz`, {}),
  };
}

async function measure(requests: Requests, seconds: number): Promise<Samples> {
  const samples: Samples = {};
  const began = performance.now();
  const sent = Object.entries(requests).flatMap(([name, send], place) => {
    const sample = { times_ms: [] as number[], failed: 0 };
    samples[name] = sample;
    return Array.from({ length: seconds * perSecond }, async (_, index) => {
      // The kinds alternate within the tenth of a second.
      const due = began + (index + place / 4) * (1000 / perSecond);
      await delay(Math.max(0, due - performance.now()));
      const ok = await send().then(
        (response) => response.ok,
        () => false,
      );
      sample.times_ms.push(performance.now() - due);
      if (!ok) sample.failed += 1;
    });
  });
  await Promise.all(sent);
  return samples;
}

async function ask(url: string, headers: Record<string, string>, body?: string) {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    signal: AbortSignal.timeout(longest_ms),
    ...(body === undefined ? {} : { body }),
  });
  await response.arrayBuffer();
  return response;
}
