/**
 * The workflow of all tries of a user: the API runs only versions of workflows, so each try is a
 * version of this one.
 */
import { ApiError } from '@cogworks/sdk/errors';
import { api } from '../../../api.ts';

/** The same in all languages: the workflow is known by it. */
export const triedSteps = 'Tried steps';

/** Its id; it is made where it is not there. */
export async function workflowOfTries(userId: number): Promise<number> {
  const workflows = await api.listWorkflows({ query: { limit: 1000 } });
  const own = workflows.find(
    ({ name, created_by }) => name === triedSteps && created_by === userId,
  );
  return own?.id ?? makeWorkflow();
}

/**
 * All tabs ask with one key, so that the second gets the workflow that the first has made. The
 * answer to a key may be of a workflow that was deleted or renamed since; then the next key follows.
 */
async function makeWorkflow(): Promise<number> {
  for (let key = 'tried-steps'; ; ) {
    const { id } = await api.createWorkflow({
      idempotencyKey: key,
      body: {
        name: triedSteps,
        description: 'Of “Try it” in the list of steps: each version tried one step.',
      },
    });
    if ((await nameOf(id)) === triedSteps) return id;
    key = `tried-steps-after-${id}`;
  }
}

/** Undefined if there is no such workflow any more. */
async function nameOf(id: number): Promise<string | undefined> {
  try {
    return (await api.getWorkflow({ path: { id } })).name;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
