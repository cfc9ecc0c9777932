/** What disabling a person stops and what it leaves, in lines of words. Pure. */
import type { Affected, DisablePreview } from '@cogworks/sdk/contract.gen';
import { plural } from '../../ui/format.ts';

/** The service counts no further. */
const most = 10_000;
const named = 3;

export function affectedOf(preview: DisablePreview): { stops: string[]; stays: string[] } {
  const { api_keys, sessions, triggers, notices, runs, invitations, workflows, cogs } = preview;
  return {
    stops: [
      ...(sessions.count > 0 ? [countOf(sessions.count, 'session')] : []),
      ...lineOf(api_keys, 'API key'),
      ...lineOf(triggers, 'trigger'),
      ...lineOf(notices, 'notice'),
      ...lineOf(invitations, 'open invitation'),
    ],
    stays: [
      ...lineOf(runs, 'run', ' under way, to its end'),
      ...lineOf(workflows, 'workflow'),
      ...lineOf(cogs, 'file or folder', '', 'files and folders'),
    ],
  };
}

function lineOf({ count, first }: Affected, one: string, after = '', many = `${one}s`): string[] {
  if (count === 0) return [];
  const names = first.slice(0, named).map(({ name }) => name);
  const others = count > names.length && names.length > 0 ? ', …' : '';
  const list = names.length > 0 ? `: ${names.join(', ')}${others}` : '';
  return [`${countOf(count, one, many)}${after}${list}`];
}

const countOf = (count: number, one: string, many = `${one}s`) =>
  count >= most ? `${plural(most, one, many)} or more` : plural(count, one, many);
