/** What a comparison of the audit log with its seals found, in words. Pure. */
import type { AuditFault, AuditVerification } from '@cogworks/sdk/contract.gen';
import { plural } from '../../ui/format.ts';

export function foundTitle({ is_intact, blocks, late_events }: AuditVerification): string {
  if (!is_intact) return 'The audit log was changed';
  if (late_events > 0) return 'Some events were sealed late';
  return blocks === 0 ? 'Nothing is sealed yet' : 'Nothing was changed';
}

export function comparedWords({ events, blocks, unsealed_events }: AuditVerification): string {
  const compared = `${plural(events, 'event')} in ${plural(blocks, 'block')} compared.`;
  if (unsealed_events === 0) return compared;
  return `${compared} ${plural(unsealed_events, 'event')} ${unsealed_events === 1 ? 'is' : 'are'} too new to be sealed.`;
}

/** Nothing if all were sealed in time. */
export function lateWords({ late_events, late_blocks }: AuditVerification): string | undefined {
  const [first] = late_blocks;
  if (!first) return undefined;
  const last = late_blocks.length > 1 ? ' and later' : '';
  return `${plural(late_events, 'event')} ${late_events === 1 ? 'was' : 'were'} sealed more than an hour after ${late_events === 1 ? 'it' : 'they'} happened, in block ${first.block}${last}. That is so if the server was stopped, or if they are older than the seals. Otherwise somebody changed events and had them sealed again.`;
}

export const keptWords: Record<NonNullable<AuditVerification['kept_head']>, string> = {
  fits: 'The seal that you kept is among these.',
  differs:
    'The seal that you kept is not among these: events were cut off, or the database was put back to an earlier state.',
  removed: 'The seal that you kept is older than the events that are kept.',
};

export function faultWords({ fault, block, event_id }: AuditFault): string {
  const event = `Event ${event_id}`;
  const where = block === undefined ? '' : `, in block ${block}`;
  switch (fault) {
    case 'event_changed':
      return `${event} was changed${where}.`;
    case 'event_missing':
      return `${event} was removed${where}.`;
    case 'event_added':
      return `${event} was added afterwards${where}.`;
    case 'block_changed':
      return `The seal of block ${block} was changed.`;
    case 'block_missing':
      return `Block ${block} was removed.`;
  }
}
