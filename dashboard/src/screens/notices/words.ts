/** Notices in words. Pure. */
import type { Notice, NoticeDelivery } from '@cogworks/sdk/contract.gen';

export type NoticeEvent = Notice['events'][number];

export const eventLabels: Record<NoticeEvent, string> = {
  'run.success': 'succeeds',
  'run.partial_success': 'succeeds in part',
  'run.failure': 'fails',
  'run.cancelled': 'is cancelled',
};

export const allEvents = Object.keys(eventLabels) as NoticeEvent[];

/** `When a run fails or is cancelled`. */
export function whenWords(events: readonly NoticeEvent[]): string {
  const ends = allEvents.filter((one) => events.includes(one)).map((one) => eventLabels[one]);
  if (ends.length === allEvents.length) return 'When a run ends, however it does';
  const [last = '', ...others] = ends.toReversed();
  const before = others.toReversed().join(', ');
  return `When a run ${before === '' ? last : `${before} or ${last}`}`;
}

export const nameOf = ({ name, url }: Pick<Notice, 'name' | 'url'>): string =>
  name ?? (url === undefined ? 'Mail' : hostOf(url));

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

export const typeLabels: Record<NoticeDelivery['type'], string> = {
  'run.success': 'Run succeeded',
  'run.partial_success': 'Run succeeded in part',
  'run.failure': 'Run failed',
  'run.cancelled': 'Run cancelled',
  test: 'Test',
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
    if (off_reason === 'gone') return { label: 'Off: refused for good', reason: reasons.gone };
    if (off_reason === 'failing' && by_mail)
      return { label: 'Off: refused', reason: reasons.mailRefused };
    if (off_reason === 'failing') return { label: 'Off: unreachable', reason: reasons.failing };
    return { label: 'Off', reason: reasons.off };
  }
  if (by_mail && isMailOff) return { label: 'Paused: no mail server', reason: reasons.noMail };
  if (isMakerDisabled) return { label: 'Paused: its maker is disabled', reason: reasons.maker };
  if (quiet_until !== undefined && Date.parse(quiet_until) > now.getTime())
    return { label: 'Paused by its receiver', reason: reasons.quiet };
  return undefined;
}

const reasons = {
  gone: 'Its receiver answered 410: it wants no more messages. If that has changed, turn the notice on again, and what waits is sent.',
  failing:
    'Every attempt of five days has failed, so it turned itself off. When its receiver is mended, turn it on again, and what waits is sent.',
  mailRefused:
    'For five days the mail server refused every mail to this address, so it turned itself off. When the address works again, turn it on again.',
  noMail:
    'This installation sends no mails any more. What waits is sent if an operator sets up a mail server within 30 days.',
  off: 'For runs that end now there are no messages, also not later.',
  maker:
    'Who made it is disabled. For runs that end meanwhile there are no messages, also not later.',
  quiet: 'Its receiver asked for a pause. What waits is sent after it.',
};
