/** What the engine does that no request triggers. */

import { foldCreditChanges, startDuePeriods } from '../../credits/accounts.ts';
import { forgetOldKeys } from '../../db/idempotency-keys.ts';
import { fillWantedCrc32s } from '../../objects/crc32.ts';
import { collectDeadObjects, collectReleased } from '../../objects/objects.ts';
import { foldStorageChanges } from '../../objects/quota.ts';
import { cutOldEvents } from '../../resources/audit-events/seals/cutting.ts';
import { openSealing } from '../../resources/audit-events/seals/sealing.ts';
import { collectExpiredSignIns } from '../../resources/auth/expired.ts';
import { forgetExpiredUrls } from '../../resources/cogs/download-urls/download-urls.ts';
import {
  endExpiredUploads,
  forgetEndedUploads,
} from '../../resources/cogs/large-uploads/expiry.ts';
import { takeOverFiles } from '../../resources/cogs/transfers/successions.ts';
import { emptyTrash, removePurged } from '../../resources/cogs/trash/trash.ts';
import { sendInvitations } from '../../resources/invitations/mailing.ts';
import { forgetOldMessages } from '../../resources/notices/deliveries/deliveries.ts';
import { sendDue } from '../../resources/notices/deliveries/sending.ts';
import { foldStatistics } from '../../resources/platform/analytics/analytics.ts';
import { removeUnusedBlobs } from '../../resources/registry/collecting.ts';
import { endExpiredImageUploads } from '../../resources/registry/uploads.ts';
import {
  fireDueTriggers,
  fireWaiting,
  forgetOldFirings,
} from '../../resources/triggers/firings/firing.ts';
import { placeArrivals } from '../../resources/triggers/folders/arriving.ts';
import { fireFolders } from '../../resources/triggers/folders/firing.ts';
import { removeLeftovers } from '../../resources/triggers/leftovers/leftovers.ts';
import { forgetOldDeliveries } from '../../resources/triggers/webhooks/deliveries.ts';
import type { GraphThreads } from '../../resources/workflows/graph-bodies.ts';
import type { Services } from '../../services.ts';
import { removeDeletedOutputs } from './deleted-runs.ts';
import { removeOldLogs } from './log-retention.ts';
import { giveUpLostAttempts } from './lost-attempts.ts';
import { forgetOldEvents } from './old-events.ts';
import { removeTestResults } from './test-results.ts';

/**
 * A `runOnce` that any number of engines may run side by side; if a round fails, the next one makes
 * up for it.
 */
export type Duty = { every_s: number; name: string; runOnce: () => Promise<unknown> };

/** @param signal aborts when the engine stops. */
export const allDuties = (
  services: Services,
  threads: GraphThreads,
  signal: AbortSignal,
): Duty[] => [
  ...dutiesOfRuns(services),
  ...dutiesOfTriggers(services, threads),
  ...dutiesOfNotices(services, signal),
  ...dutiesOfFiles(services, signal),
  ...dutiesOfAudit(services),
  ...dutiesOfSignIn(services),
];

function dutiesOfRuns(services: Services): Duty[] {
  const { config, engineDb: db, storage, log, rounds, metrics } = services;
  let wasFull = false;
  return [
    duty(5, 'give up lost attempts', async () => {
      const given = await giveUpLostAttempts(services);
      metrics.attemptsLost.inc(given);
      if (given > 0) log.warn({ attempts: given }, 'gave up attempts of lost workers');
    }),
    duty(5, 'look for room', async () => {
      const isFull = (await storage.room()) <= 0;
      if (isFull === wasFull) return;
      wasFull = isFull;
      if (isFull) log.error('the disk is full: uploads are refused and no work starts');
      else log.warn('there is room on the disk again');
      // Work that waited for disk space can start now.
      rounds.ring();
    }),
    duty(60, 'remove results of tests', () => inPortions((limit) => removeTestResults(db, limit))),
    duty(60, 'remove results of deleted runs', () =>
      inPortions((limit) => removeDeletedOutputs(db, limit)),
    ),
    duty(30, 'forget old events', () => forgetOldEvents(db)),
    duty(5, 'start periods of credits', () =>
      inPortions((limit) => startDuePeriods(db, new Date(), limit)),
    ),
    duty(10, 'sum up credits', () => foldCreditChanges(db, portion)),
    duty(10, 'sum up statistics', () => inPortions((limit) => foldStatistics(db, limit))),
    duty(300, 'remove old logs', async () => {
      const removed = await removeOldLogs(db, config.logs);
      if (removed > 0) log.info({ attempts: removed }, 'removed old logs of containers');
    }),
  ];
}

function dutiesOfTriggers(services: Services, threads: GraphThreads): Duty[] {
  const { engineDb: db } = services;
  const firing = { ...services, db, threads };
  return [
    duty(1, 'fire triggers', async () => {
      await fireDueTriggers(firing);
      await fireWaiting(firing);
    }),
    duty(1, 'start runs over new files', async () => {
      await inPortions((limit) => placeArrivals(db, limit));
      await fireFolders(firing);
    }),
    duty(600, 'forget old firings', () => inPortions((limit) => forgetOldFirings(db, limit))),
    duty(60, 'remove what deleted triggers left', () =>
      inPortions((limit) => removeLeftovers(db, limit)),
    ),
    duty(600, 'forget old deliveries', () => inPortions((limit) => forgetOldDeliveries(db, limit))),
  ];
}

const dutiesOfNotices = (services: Services, signal: AbortSignal): Duty[] => [
  duty(1, 'send notices', () => sendDue({ ...services, db: services.engineDb }, signal)),
  duty(600, 'forget old notices', () =>
    inPortions((limit) => forgetOldMessages(services.engineDb, limit)),
  ),
];

function dutiesOfFiles({ engineDb: db, storage, log }: Services, signal: AbortSignal): Duty[] {
  return [
    // Their bytes no longer count in a storage limit, so they must go as fast as others come.
    duty(10, 'collect dead objects', () =>
      inPortions(() => collectDeadObjects({ db, storage }, new Date(), 500)),
    ),
    duty(10, 'prepare ZIPs', () =>
      inPortions(() => fillWantedCrc32s({ db, storage, log }, 100, signal)),
    ),
    duty(10, 'remove purged files', async () => {
      await inPortions((limit) => removePurged(db, limit));
      await inPortions((limit) => collectReleased(db, new Date(), limit));
    }),
    duty(60, 'end expired uploads', async () => {
      const now = new Date();
      await inPortions((limit) => endExpiredUploads({ db, storage }, now, limit));
      await inPortions((limit) => forgetEndedUploads(db, now, limit));
    }),
    duty(60, 'end expired uploads of images', () =>
      inPortions((limit) => endExpiredImageUploads(db, new Date(), limit)),
    ),
    duty(300, 'remove unused parts of images', () =>
      inPortions((limit) => removeUnusedBlobs(db, new Date(), limit)),
    ),
    duty(2, 'take over files of those who left', () =>
      inPortions((limit) => takeOverFiles(db, limit)),
    ),
    duty(3600, 'empty the trash', () => inPortions((limit) => emptyTrash(db, new Date(), limit))),
    duty(10, 'sum up stored bytes', () => inPortions((limit) => foldStorageChanges(db, limit))),
    duty(600, 'forget expired download URLs', () =>
      inPortions((limit) => forgetExpiredUrls(db, limit)),
    ),
  ];
}

function dutiesOfAudit({ engineDb: db, keys, config, log }: Services): Duty[] {
  const seal = openSealing({ db, keys });
  return [
    duty(15, 'seal audit events', () => inPortions(seal)),
    duty(3600, 'remove old audit events', async () => {
      if (config.audit_days === 0) return;
      const cut = { days: config.audit_days, refused: new Set<number>() };
      await inPortions(() => cutOldEvents({ db, keys, log }, cut));
    }),
  ];
}

const dutiesOfSignIn = ({ engineDb: db, ...services }: Services): Duty[] => [
  duty(2, 'send mails', () => inPortions(() => sendInvitations({ ...services, db }))),
  duty(600, 'forget idempotency keys', () => forgetOldKeys(db)),
  duty(600, 'forget expired sign-ins', () => collectExpiredSignIns(db, new Date())),
];

const duty = (every_s: number, name: string, runOnce: Duty['runOnce']): Duty => ({
  every_s,
  name,
  runOnce,
});

const portion = 1000;
/** Then the other duties and the other engines get their turn. */
const longest_ms = 5000;

/** Repeats a duty while it finds something to do, for some seconds. */
async function inPortions(runOnce: (limit: number) => Promise<number>): Promise<void> {
  const end = performance.now() + longest_ms;
  while ((await runOnce(portion)) > 0) if (performance.now() > end) return;
}
