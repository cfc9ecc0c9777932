/** The engine's timers: duties that no request triggers. */

import { forgetOldKeys } from '../db/idempotency-keys.ts';
import { fillWantedCrc32s } from '../objects/crc32.ts';
import { collectDeadObjects, collectReleased } from '../objects/objects.ts';
import { foldStorageChanges } from '../objects/quota.ts';
import { collectExpiredSignIns } from '../resources/auth/expired.ts';
import { forgetExpiredUrls } from '../resources/cogs/download-urls/download-urls.ts';
import { endExpiredUploads, forgetEndedUploads } from '../resources/cogs/large-uploads/expiry.ts';
import { emptyTrash, removePurged } from '../resources/cogs/trash/trash.ts';
import { fireDueTriggers, fireWaiting, forgetOldFirings } from '../resources/triggers/firing.ts';
import { openGraphThreads } from '../resources/workflows/graph-bodies.ts';
import type { Services } from '../services.ts';
import { removeDeletedOutputs } from './duties/deleted-runs.ts';
import { removeOldLogs } from './duties/log-retention.ts';
import { giveUpLostAttempts } from './duties/lost-attempts.ts';
import { forgetOldEvents } from './duties/old-events.ts';

export type EngineLoop = { stop(): Promise<void> };

/**
 * Starts every duty at its interval. Each is a `runOnce` that any number of engines may run side by
 * side; if a round fails, the next one makes up for it.
 */
export function startEngine(services: Services): EngineLoop {
  const { config, engineDb: db, storage, log, rounds } = services;
  const stopping = new AbortController();
  const threads = openGraphThreads();
  const firing = { ...services, db, threads };
  let wasFull = false;
  const tasks = [
    every(5, 'give up lost attempts', async () => {
      const given = await giveUpLostAttempts(services);
      if (given > 0) log.warn({ attempts: given }, 'gave up attempts of lost workers');
    }),
    every(5, 'look for room', async () => {
      const isFull = (await storage.room()) <= 0;
      if (isFull === wasFull) return;
      wasFull = isFull;
      if (isFull) log.error('the disk is full: uploads are refused and no work starts');
      else log.warn('there is room on the disk again');
      // Work that waited for disk space can start now.
      rounds.ring();
    }),
    // Their bytes no longer count in a storage limit, so they must go as fast as others come.
    every(10, 'collect dead objects', () =>
      inPortions(() => collectDeadObjects({ db, storage }, new Date(), 500)),
    ),
    every(1, 'fire triggers', async () => {
      await fireDueTriggers(firing);
      await fireWaiting(firing);
    }),
    every(600, 'forget old firings', () => inPortions((limit) => forgetOldFirings(db, limit))),
    every(10, 'prepare ZIPs', () =>
      inPortions(() => fillWantedCrc32s({ db, storage, log }, 100, stopping.signal)),
    ),
    every(10, 'remove purged files', async () => {
      await inPortions((limit) => removePurged(db, limit));
      await inPortions((limit) => collectReleased(db, new Date(), limit));
    }),
    every(60, 'end expired uploads', async () => {
      const now = new Date();
      await inPortions((limit) => endExpiredUploads({ db, storage }, now, limit));
      await inPortions((limit) => forgetEndedUploads(db, now, limit));
    }),
    every(60, 'remove results of deleted runs', () =>
      inPortions((limit) => removeDeletedOutputs(db, limit)),
    ),
    every(3600, 'empty the trash', () => inPortions((limit) => emptyTrash(db, new Date(), limit))),
    every(30, 'forget old events', () => forgetOldEvents(db)),
    every(300, 'remove old logs', async () => {
      const removed = await removeOldLogs(db, config.logs);
      if (removed > 0) log.info({ attempts: removed }, 'removed old logs of containers');
    }),
    every(10, 'sum up stored bytes', () => inPortions((limit) => foldStorageChanges(db, limit))),
    every(600, 'forget expired download URLs', () =>
      inPortions((limit) => forgetExpiredUrls(db, limit)),
    ),
    every(600, 'forget idempotency keys', () => forgetOldKeys(db)),
    every(600, 'forget expired sign-ins', () => collectExpiredSignIns(db, new Date())),
  ];

  function every(seconds: number, name: string, runOnce: () => Promise<unknown>) {
    let round: Promise<unknown> = Promise.resolve();
    let isBusy = false;
    const tick = () => {
      if (isBusy) return;
      isBusy = true;
      round = runOnce()
        .catch((error: unknown) => log.error({ err: error }, `could not ${name}`))
        .finally(() => {
          isBusy = false;
        });
    };
    tick();
    const timer = setInterval(tick, seconds * 1000);
    return {
      stop: async () => {
        clearInterval(timer);
        await round;
      },
    };
  }

  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(tasks.map((task) => task.stop()));
      await threads.close();
    },
  };
}

const portion = 1000;
/** Then the other duties and the other engines get their turn. */
const longest_ms = 5000;

/** Repeats a duty while it finds something to do, for some seconds. */
async function inPortions(runOnce: (limit: number) => Promise<number>): Promise<void> {
  const end = performance.now() + longest_ms;
  while ((await runOnce(portion)) > 0) if (performance.now() > end) return;
}
