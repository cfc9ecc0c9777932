/** Finds what to run: a workflow by name or id, and its version. */
import type { Workflow } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import type { Cli } from './command.ts';
import { everyRow } from './lists.ts';
import { Problem } from './problem.ts';

const mostNames = 10;

/** A number is tried as an id first, and then as a name. */
export async function findWorkflow(cli: Cli, word: string): Promise<Workflow> {
  const { client, signal } = cli;
  if (/^\d{1,15}$/.test(word)) {
    const path = { id: Number(word) };
    const byId = await client.getWorkflow({ path, signal }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    });
    if (byId) return byId;
  }
  const all = await allWorkflows(cli);
  const [found, ...more] = all.filter(({ name }) => name === word);
  if (!found) throw new Problem(`There is no workflow “${word}”. ${namesOf(all)}`);
  if (more.length > 0) {
    const ids = [found, ...more].map(({ id }) => id).join(', ');
    throw new Problem(`Several workflows are called “${word}”; say which by its id: ${ids}`);
  }
  return found;
}

export const allWorkflows = (cli: Cli): Promise<Workflow[]> =>
  everyRow(cli, 'listWorkflows', { query: { limit: 100 } });

/** The published version, or else the latest. */
export function versionToRun({ name, published_version_id, latest_version_id }: Workflow): number {
  const version_id = published_version_id ?? latest_version_id;
  if (version_id === undefined) throw new Problem(`Workflow “${name}” has no version to run.`);
  return version_id;
}

function namesOf(workflows: Workflow[]): string {
  if (workflows.length === 0) return 'There are none yet.';
  const names = workflows.slice(0, mostNames).map(({ id, name }) => `  ${id}  ${name}`);
  const rest = workflows.length - names.length;
  return ['There are:', ...names, ...(rest > 0 ? [`  and ${rest} more`] : [])].join('\n');
}
