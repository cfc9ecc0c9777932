/** Notices in words. Pure. */
import type { Notice, NoticeDelivery } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { locale } from '../../ui/language.ts';

export type NoticeEvent = Notice['events'][number];

export const eventLabels: Record<NoticeEvent, string> = {
  'run.success': t`succeeds`,
  'run.partial_success': t`succeeds in part`,
  'run.failure': t`fails`,
  'run.cancelled': t`is cancelled`,
};

export const allEvents = Object.keys(eventLabels) as NoticeEvent[];

/** `When a run fails or is cancelled`. */
export function whenWords(events: readonly NoticeEvent[]): string {
  const ends = allEvents.filter((one) => events.includes(one)).map((one) => eventLabels[one]);
  if (ends.length === allEvents.length) return t`When a run ends, however it does`;
  const list = new Intl.ListFormat(locale, { type: 'disjunction' }).format(ends);
  return t`When a run ${list}`;
}

export const nameOf = ({ name, url }: Pick<Notice, 'name' | 'url'>): string =>
  name ?? (url === undefined ? t`Mail` : hostOf(url));

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

export const typeLabels: Record<NoticeDelivery['type'], string> = {
  'run.success': t`Run succeeded`,
  'run.partial_success': t`Run succeeded in part`,
  'run.failure': t`Run failed`,
  'run.cancelled': t`Run cancelled`,
  test: t`Test`,
};

export type Pause = { label: string; reason: string };

export type Surroundings = { isMakerDisabled: boolean; isMailOff: boolean };

/** Why nothing is sent now, and what to do about it; undefined if messages are sent. */
export function pauseOf(
  notice: Notice,
  { isMakerDisabled, isMailOff }: Surroundings,
  now: Date,
): Pause | undefined {
  const { enabled, off_reason, quiet_until, by_mail } = notice;
  if (!enabled) {
    if (off_reason === 'gone') return { label: t`Off: refused for good`, reason: reasons.gone };
    if (off_reason === 'failing' && by_mail)
      return { label: t`Off: refused`, reason: reasons.mailRefused };
    if (off_reason === 'failing') return { label: t`Off: unreachable`, reason: reasons.failing };
    return { label: t`Off`, reason: reasons.off };
  }
  if (by_mail && isMailOff) return { label: t`Paused: no mail server`, reason: reasons.noMail };
  if (isMakerDisabled) return { label: t`Paused: its maker is disabled`, reason: reasons.maker };
  if (quiet_until !== undefined && Date.parse(quiet_until) > now.getTime())
    return { label: t`Paused by its receiver`, reason: reasons.quiet };
  return undefined;
}

const reasons = {
  gone: t`Its receiver answered 410: it wants no more messages. If that has changed, turn the notice on again, and what waits is sent.`,
  failing: t`Every attempt of five days has failed, so it turned itself off. When its receiver is mended, turn it on again, and what waits is sent.`,
  mailRefused: t`For five days the mail server refused every mail to this address, so it turned itself off. When the address works again, turn it on again.`,
  noMail: t`This installation sends no mails any more. What waits is sent if an operator sets up a mail server within 30 days.`,
  off: t`For runs that end now there are no messages, also not later.`,
  maker: t`Who made it is disabled. For runs that end meanwhile there are no messages, also not later.`,
  quiet: t`Its receiver asked for a pause. What waits is sent after it.`,
};
