/** What a comparison of the audit log with its seals found, in words. Pure. */
import type { AuditFault, AuditVerification } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';

export function foundTitle({ is_intact, blocks, late_events }: AuditVerification): string {
  if (!is_intact) return t`The audit log was changed`;
  if (late_events > 0) return t`Some events were sealed late`;
  return blocks === 0 ? t`Nothing is sealed yet` : t`Nothing was changed`;
}

export function comparedWords({ events, blocks, unsealed_events }: AuditVerification): string {
  const compared = t`${plural(events, { one: '# event', other: '# events' })} in ${plural(blocks, { one: '# block', other: '# blocks' })} compared.`;
  if (unsealed_events === 0) return compared;
  const unsealed = plural(unsealed_events, {
    one: '# event is too new to be sealed.',
    other: '# events are too new to be sealed.',
  });
  return `${compared} ${unsealed}`;
}

/** Nothing if all were sealed in time. */
export function lateWords({ late_events, late_blocks }: AuditVerification): string | undefined {
  const [first] = late_blocks;
  if (!first) return undefined;
  const { block } = first;
  const late =
    late_blocks.length === 1
      ? plural(late_events, {
          one: `# event was sealed more than an hour after it happened, in block ${block}.`,
          other: `# events were sealed more than an hour after they happened, in block ${block}.`,
        })
      : plural(late_events, {
          one: `# event was sealed more than an hour after it happened, in block ${block} and later.`,
          other: `# events were sealed more than an hour after they happened, in block ${block} and later.`,
        });
  const meaning = t`That is so if the server was stopped, or if they are older than the seals. Otherwise somebody changed events and had them sealed again.`;
  return `${late} ${meaning}`;
}

export const keptWords: Record<NonNullable<AuditVerification['kept_head']>, string> = {
  fits: t`The seal that you kept is among these.`,
  differs: t`The seal that you kept is not among these: events were cut off, or the database was put back to an earlier state.`,
  removed: t`The seal that you kept is older than the events that are kept.`,
};

export function faultWords(found: AuditFault): string {
  const [block, event] = [String(found.block), String(found.event_id)];
  const isSealed = found.block !== undefined;
  switch (found.fault) {
    case 'event_changed':
      return isSealed
        ? t`Event ${event} was changed, in block ${block}.`
        : t`Event ${event} was changed.`;
    case 'event_missing':
      return isSealed
        ? t`Event ${event} was removed, in block ${block}.`
        : t`Event ${event} was removed.`;
    case 'event_added':
      return isSealed
        ? t`Event ${event} was added afterwards, in block ${block}.`
        : t`Event ${event} was added afterwards.`;
    case 'block_changed':
      return t`The seal of block ${block} was changed.`;
    case 'block_missing':
      return t`Block ${block} was removed.`;
  }
}
