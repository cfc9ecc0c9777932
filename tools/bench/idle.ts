/** The memory of an idle server with its database. */
import { setTimeout as delay } from 'node:timers/promises';
import type { PartResult } from './figures.ts';
import { lookAround } from './measure.ts';
import type { Options } from './options.ts';
import { memoryOf } from './proc.ts';
import { startBenchServer } from './server.ts';

export async function idle({ checkout, isQuick }: Options): Promise<PartResult> {
  const server = await startBenchServer(checkout);
  try {
    await delay(isQuick ? 3000 : 15_000);
    const { server: own, database } = await memoryOf(server.pid);
    const moments = [await lookAround()];
    return {
      figures: [
        {
          what: 'idle server with its database, PSS',
          unit: 'MB',
          rounds: [own + database],
          moments,
          beside: [],
          goal: { at_most: 200 },
        },
      ],
      notes: [
        `the server ${own.toFixed(0)} MB, its database ${database.toFixed(0)} MB, without a local worker.`,
      ],
    };
  } finally {
    await server.stop();
  }
}
