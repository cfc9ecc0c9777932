import { ApiError } from '@cogworks/sdk/errors';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { api } from '../../../api.ts';
import { triedSteps, workflowOfTries } from './tried-steps.ts';

type Workflow = { id: number; name: string; created_by: number };

/** A service with workflows, which answers a key again as it answered it first. */
function service(workflows: Workflow[]) {
  const answers = new Map<string, Workflow>();
  vi.spyOn(api, 'listWorkflows').mockImplementation((async () => [...workflows]) as never);
  vi.spyOn(api, 'getWorkflow').mockImplementation((async ({ path }: { path: { id: number } }) => {
    const found = workflows.find(({ id }) => id === path.id);
    if (!found) throw new ApiError(404, { detail: 'There is no such workflow.' });
    return found;
  }) as never);
  vi.spyOn(api, 'createWorkflow').mockImplementation((async ({
    idempotencyKey,
  }: {
    idempotencyKey: string;
  }) => {
    const made = answers.get(idempotencyKey) ?? {
      id: 10 + answers.size,
      name: triedSteps,
      created_by: 1,
    };
    if (!answers.has(idempotencyKey)) workflows.push(made);
    answers.set(idempotencyKey, made);
    return made;
  }) as never);
  return workflows;
}

afterEach(() => vi.restoreAllMocks());

describe('the workflow of tries', () => {
  it('is the one that is there, but never that of somebody else', async () => {
    service([
      { id: 3, name: triedSteps, created_by: 2 },
      { id: 4, name: triedSteps, created_by: 1 },
    ]);
    expect(await workflowOfTries(1)).toBe(4);
    expect(await workflowOfTries(2)).toBe(3);
  });

  it('is made once, also if two tabs ask for it at the same time', async () => {
    const workflows = service([]);
    expect(await Promise.all([workflowOfTries(1), workflowOfTries(1)])).toEqual([10, 10]);
    expect(workflows).toHaveLength(1);
  });

  it('is made again after it was deleted', async () => {
    const workflows = service([]);
    for (const id of [10, 11, 12]) {
      expect(await workflowOfTries(1)).toBe(id);
      workflows.pop();
    }
  });
});
