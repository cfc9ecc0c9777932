/** What the service has with such a name: files, workflows, their versions, runs, templates, steps. */
import { ApiError } from '@cogworks/sdk/errors';
import { t } from '@lingui/core/macro';
import {
  IconBox,
  IconFile,
  IconFolder,
  IconPlayerPlay,
  IconSitemap,
  IconTemplate,
} from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { isFolder } from '../../cogs.ts';
import { statusLabel } from '../../ui/status.tsx';
import { matching, runIn, versionIn } from './matching.ts';
import type { Entry, EntryGroup } from './places.ts';

const most = 5;

export const useFound = (text: string) =>
  useQuery({
    queryKey: ['palette', text],
    queryFn: async ({ signal }): Promise<EntryGroup[]> => {
      const parts = [files, workflows, runs, templates, steps].map((find) => find(text, signal));
      const groups = await Promise.all(parts);
      return groups.filter(({ entries }) => entries.length > 0);
    },
    enabled: text !== '',
    placeholderData: keepPreviousData,
  });

type Group = Promise<EntryGroup>;

async function files(q: string, signal: AbortSignal): Group {
  const rows = await api.searchCogs({ query: { q, limit: most, with_above: true }, signal });
  return {
    title: t`Files`,
    entries: rows.map((cog) => ({
      key: `cog ${cog.id}`,
      label: cog.name,
      icon: isFolder(cog) ? IconFolder : IconFile,
      hint: cog.above?.at(-1)?.name,
      href: isFolder(cog)
        ? `/files/${cog.id}`
        : `/files/${cog.parent_id ?? ''}?preview=${cog.id}`.replace('/?', '?'),
    })),
  };
}

const allWorkflows = (signal: AbortSignal) => api.listWorkflows({ query: { limit: 1000 }, signal });

async function workflows(text: string, signal: AbortSignal): Group {
  const { rest, number } = versionIn(text);
  const named = (await allWorkflows(signal)).map((one) => ({ ...one, label: one.name }));
  const found = matching(named, rest, most);
  const own = found.map(
    (one): Entry => ({
      ...{ key: `workflow ${one.id}`, label: one.name, icon: IconSitemap },
      href: `/workflows/${one.id}`,
    }),
  );
  const isAboutVersions = rest !== text;
  const [first] = found;
  if (!isAboutVersions || !first) return { title: t`Workflows`, entries: own };
  const path = { id: first.id };
  const versions = await api.listWorkflowVersions({ path, query: { limit: 1000 }, signal });
  const entries = versions
    .filter(({ version_number }) => number === undefined || version_number === number)
    .toSorted((a, b) => b.version_number - a.version_number)
    .slice(0, most)
    .map(
      (one): Entry => ({
        ...{ key: `version ${one.id}`, icon: IconSitemap, hint: one.state },
        label: t`${first.name}, version ${one.version_number}`,
        href: `/workflows/${first.id}/versions/${one.id}`,
      }),
    );
  return { title: t`Versions`, entries: [...entries, ...own] };
}

/** By its number, or by the name of its workflow. */
async function runs(text: string, signal: AbortSignal): Group {
  const named = (await allWorkflows(signal)).map((one) => ({ ...one, label: one.name }));
  const id = runIn(text);
  const one =
    id === undefined
      ? []
      : [await api.getRun({ path: { run_id: id }, signal }).catch(unlessUnknown)];
  const [workflow] = matching(named, text.replace(/^runs?\s+/i, ''), 1);
  const more = workflow
    ? await api.listRuns({ query: { workflow_id: workflow.id, limit: 3 }, signal })
    : [];
  const names = new Map(named.map(({ id: of, name }) => [of, name]));
  const entries = [...one, ...more].flatMap((run): Entry[] =>
    run
      ? [
          {
            ...{ key: `run ${run.id}`, icon: IconPlayerPlay, hint: statusLabel(run.status) },
            label: runLabel(run.id, names.get(run.workflow_id)),
            href: `/runs/${run.id}`,
          },
        ]
      : [],
  );
  return { title: t`Runs`, entries };
}

function unlessUnknown(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
}

async function templates(q: string, signal: AbortSignal): Group {
  const rows = await api.listWorkflowTemplates({ query: { q, limit: most }, signal });
  return {
    title: t`Templates`,
    entries: rows.map(({ id, name, category }) => ({
      ...{ key: `template ${id}`, label: name, icon: IconTemplate, hint: category || undefined },
      href: `/workflows/templates/${id}`,
    })),
  };
}

async function steps(q: string, signal: AbortSignal): Group {
  const rows = await api.listNodeDefinitions({ query: { q, limit: most }, signal });
  return {
    title: t`Steps`,
    entries: rows.map(({ id, title, name, version }) => ({
      ...{ key: `step ${id}`, label: title || name, icon: IconBox, hint: version },
      href: `/workflows/catalogue/${id}`,
    })),
  };
}

const runLabel = (id: number, name: string | undefined): string =>
  name === undefined ? t`Run #${id}` : `${name} #${id}`;
