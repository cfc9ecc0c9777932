/** What disabling a person stops and what it leaves, in lines of words. Pure. */
import type { DisablePreview } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';

type Kind = keyof DisablePreview;

const stopping: readonly Kind[] = ['sessions', 'api_keys', 'triggers', 'notices', 'invitations'];
const staying: readonly Kind[] = ['runs', 'workflows', 'cogs'];

/** How many there are. The service counts no further than 10,000. */
const counted: Record<Kind, (count: number) => string> = {
  sessions: (count) =>
    plural(count, { one: '# session', 10000: '# sessions or more', other: '# sessions' }),
  api_keys: (count) =>
    plural(count, { one: '# API key', 10000: '# API keys or more', other: '# API keys' }),
  triggers: (count) =>
    plural(count, { one: '# trigger', 10000: '# triggers or more', other: '# triggers' }),
  notices: (count) =>
    plural(count, { one: '# notice', 10000: '# notices or more', other: '# notices' }),
  invitations: (count) =>
    plural(count, {
      one: '# open invitation',
      10000: '# open invitations or more',
      other: '# open invitations',
    }),
  runs: (count) =>
    plural(count, {
      one: '# run under way, to its end',
      10000: '# runs or more under way, to their end',
      other: '# runs under way, to their end',
    }),
  workflows: (count) =>
    plural(count, { one: '# workflow', 10000: '# workflows or more', other: '# workflows' }),
  cogs: (count) =>
    plural(count, {
      one: '# file or folder',
      10000: '# files and folders or more',
      other: '# files and folders',
    }),
};

export function affectedOf(preview: DisablePreview): { stops: string[]; stays: string[] } {
  const linesOf = (kinds: readonly Kind[]) => kinds.flatMap((kind) => lineOf(preview, kind));
  return { stops: linesOf(stopping), stays: linesOf(staying) };
}

const named = 3;

function lineOf(preview: DisablePreview, kind: Kind): string[] {
  const { count, first = [] } = { first: undefined, ...preview[kind] };
  if (count === 0) return [];
  const things = counted[kind](count);
  if (first.length === 0) return [things];
  const names = first.slice(0, named).map(({ name }) => name);
  if (count > names.length) names.push('…');
  return [t`${things}: ${{ names: names.join(', ') }}`];
}
