/**
 * Raises a limit of a step: registers a version of its definition, makes a version of the workflow
 * with it, publishes that, and runs the rest. What was done is kept, and a retry goes on after it.
 */
import { sameJson } from '@cogworks/graph/edit/changes';
import type {
  NodeDefinition,
  WorkflowRun as Run,
  WorkflowVersion as Version,
} from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { allRows } from '@cogworks/sdk/pages';
import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../../api.ts';
import { catalogueKey } from '../../../catalogue.ts';
import { asContract, asGraph } from '../../../contract-graph.ts';
import { versionAfter } from '../../../definition-versions.ts';
import { useRequestKey } from '../../../request-key.ts';
import {
  type LimitName,
  newestAfter,
  nodesWith,
  type Publication,
  publicationOf,
  registeredAs,
  withDefinition,
  withLimit,
} from './raised-limit.ts';
import { startAfter } from './start-after.ts';

/** What is there already. */
export type Done = {
  definition?: NodeDefinition;
  version?: Version;
  publication?: Publication;
};

type KeyOf = ReturnType<typeof useRequestKey>;

export function useRaisedLimit(run: Run, definition: NodeDefinition, name: LimitName) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [done, setDone] = useState<Done>({});
  const [ofDefinition, ofVersion, ofRun] = [useRequestKey(), useRequestKey(), useRequestKey()];
  const keep = (more: Done) => setDone((old) => ({ ...old, ...more }));
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (amount: number) => {
      const ran = await api.getWorkflowVersion({ path: { version_id: run.workflow_version_id } });
      if (nodesWith(asGraph(ran.graph), definition.id).length === 0)
        throw new Error(t`The draft that has run does not use this version of the step any more.`);
      const raised =
        done.definition ?? (await definitionWith(definition, name, amount, ofDefinition));
      keep({ definition: raised });
      const version = done.version ?? (await versionWith(ran, definition, raised, ofVersion));
      keep({ version });
      const publication = done.publication ?? (await publish(ran, version));
      keep({ publication });
      const started = await startAfter(run, { keyOf: ofRun, version_id: version.id });
      return { ...started, version, publication };
    },
    onSettled: () => {
      const keys = [catalogueKey, ['versions'], ['workflow'], ['workflows'], ['runs']];
      for (const queryKey of keys) void client.invalidateQueries({ queryKey });
    },
    onSuccess: ({ workflow_run_id, version: { version_number }, publication }) => {
      const message = publication.publish
        ? t`Version ${version_number} is published, and runs with the higher limit.`
        : t`Version ${version_number} runs with the higher limit, as a draft.`;
      notifications.show({ message });
      void navigate({ to: '/runs/$runId', params: { runId: String(workflow_run_id) } });
    },
  });
  return { raise: mutate, isPending, error, done };
}

const mostTries = 3;

async function definitionWith(
  before: NodeDefinition,
  limit: LimitName,
  amount: number,
  keyOf: KeyOf,
): Promise<NodeDefinition> {
  const wanted = withLimit(before, limit, amount);
  const query = { q: before.name, limit: 1000 };
  for (let tries = 1; ; tries++) {
    const rows: NodeDefinition[] = [];
    for await (const row of allRows(api, 'listNodeDefinitions', { query })) rows.push(row);
    const found = registeredAs(rows, wanted);
    if (found) return found;
    const body = { ...wanted, version: versionAfter(rows, before) };
    try {
      return await api.registerNodeDefinition({ body, idempotencyKey: keyOf(body) });
    } catch (error) {
      // Somebody else registered a version of that name at the same moment.
      const isTaken = error instanceof ApiError && error.code === 'version_exists';
      if (!isTaken || tries === mostTries) throw error;
    }
  }
}

const versionsOf = (id: number) =>
  api.listWorkflowVersions({ path: { id }, query: { limit: 1000 } });

async function versionWith(
  ran: Version,
  before: NodeDefinition,
  after: NodeDefinition,
  keyOf: KeyOf,
): Promise<Version> {
  const graph = asContract(withDefinition(asGraph(ran.graph), before.id, after.id));
  const newest = newestAfter(await versionsOf(ran.workflow_id), ran);
  // Made by a try before, whose dialog was closed.
  const found = newest && (await api.getWorkflowVersion({ path: { version_id: newest.id } }));
  if (found && sameJson(found.graph, graph)) return found;
  const path = { id: ran.workflow_id };
  return api.createWorkflowVersion({ path, body: { graph }, idempotencyKey: keyOf(graph) });
}

/** Decides by what is there now: somebody may have published meanwhile. */
async function publish(ran: Version, { id, logic_hash, state }: Version): Promise<Publication> {
  if (state === 'published') return { publish: true };
  const publication = publicationOf(ran, await versionsOf(ran.workflow_id), { id });
  if (publication.publish)
    await api.publishWorkflowVersion({ path: { version_id: id }, body: { logic_hash } });
  return publication;
}
