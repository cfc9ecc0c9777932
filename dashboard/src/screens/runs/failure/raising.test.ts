import type {
  NodeDefinition,
  WorkflowRun as Run,
  WorkflowVersion as Version,
} from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { api } from '../../../api.ts';
import { PlanChanged, raise, readKnown } from './raising.ts';
import { amountTried, type Done, type Plan, planOf } from './raising-plan.ts';

const definition: NodeDefinition = {
  ...{ id: 7, name: 'resize', version: '1', title: 'Resize', description: '', category: '' },
  ...{ image: 'registry.example/tools:1', command: ['true'], env: {}, inputs: [], outputs: [] },
  params: { type: 'object' },
  resources: { cpu: 1, memory_mb: 512, gpu: 0, disk_mb: 1024 },
  ...{ timeout_seconds: 90, retry: { max_attempts: 2, on: ['oom'] }, network: 'none' },
  ...{ cache: { enabled: true, version: '1' }, scope: 'tenant', created_at: '' },
};

const graphWith = (node_definition_id: number) => ({
  ...{ nodes: [{ key: 'a', node_definition_id }], edges: [], inputs: [], variables: [] },
});

const me = 1;
const colleague = 2;

const run: Run = {
  ...{ id: 70, workflow_id: 3, workflow_version_id: 102, status: 'failure', started_by: me },
  ...{ extra_variables: {}, keep_results: true, on_failure: 'continue', priority: 'normal' },
  ...{ test_run: false, created_at: '', node_runs: [], run_files: [] },
};

/** A service with a workflow whose second version has run, as far as the dialog asks it. */
function service(state: Version['state'] = 'published') {
  const definitions = [definition];
  const versions: Version[] = [];
  const add = (graph: Version['graph'], over: Partial<Version> = {}): Version => {
    const version_number = versions.length + 1;
    const version: Version = {
      ...{ id: 100 + version_number, workflow_id: 3, version_number, state: 'draft', graph },
      ...{ graph_hash: '', logic_hash: JSON.stringify(graph), node_count: 1, input_count: 0 },
      ...{ created_by: me, created_at: '', variables: [], ...over },
    };
    versions.push(version);
    return version;
  };
  const change = (id: number, over: Partial<Version>) =>
    versions.splice(id - 101, 1, { ...find(id), ...over });
  const find = (id: number): Version => versions.find((one) => one.id === id) as Version;
  add(graphWith(6));
  add(graphWith(7), { state });

  const answers = {
    getMe: () => ({ id: me, role: 'member' }),
    getWorkflow: () => ({ created_by: me }),
    getRun: () => run,
    getNodeDefinition: () => definition,
    getWorkflowVersion: ({ path }: Args) => find(path.version_id),
    registerNodeDefinition: ({ body }: Args) => {
      definitions.push({ ...definition, ...body, id: 8 });
      return definitions.at(-1);
    },
    createWorkflowVersion: ({ body }: Args) => add(body.graph),
    publishWorkflowVersion: ({ path, body }: Args) => {
      const now = versions.findLast((one) => one.state === 'published')?.id;
      if (now !== body.published_version_id) throw new ApiError(409, { code: 'other_published' });
      change(path.version_id, { state: 'published' });
    },
    startRun: ({ path }: Args) => {
      started.push(path.version_id);
      return { workflow_run_id: 71 };
    },
  };
  const started: number[] = [];
  const calls = Object.entries(answers).map(([id, answer]) => {
    const called = vi.spyOn(api, id as keyof typeof answers);
    called.mockImplementation((async (args: Args) => answer(args)) as never);
    return [id, called] as const;
  });
  vi.spyOn(api, 'call').mockImplementation((async (id: string, { query }: Args) =>
    pageOf(
      id === 'listWorkflowVersions' ? versions : definitions,
      Number(query.cursor ?? 0),
    )) as never);
  const called = Object.fromEntries(calls) as Record<keyof typeof answers, (typeof calls)[0][1]>;
  return { add, change, find, versions, started, called };
}

/** Two rows of a list, oldest first. */
function pageOf(rows: readonly unknown[], at: number) {
  const next = at + 2;
  const headers = new Headers();
  if (next < rows.length) headers.set('link', `<http://host/?cursor=${next}>; rel="next"`);
  return { answer: rows.slice(at, next), headers };
}

// biome-ignore lint/suspicious/noExplicitAny: the arguments of any operation
type Args = any;

/** The dialog: what it shows, and what its button does. */
async function opened(amount = 1024) {
  let known = await readKnown(run, definition.id);
  let done: Done = {};
  const name = 'memory_mb' as const;
  const shown = () => planOf(known, name, amount, done);
  const keyOf = (request: unknown) => JSON.stringify(request);
  return {
    shown,
    proposed: amountTried(known, name),
    press: () =>
      raise(
        { run, definitionId: definition.id, name, amount, shown: shown(), done },
        {
          onKnown: (now) => {
            known = now;
          },
          onDone: (more) => {
            done = { ...done, ...more };
          },
          keys: { definition: keyOf, version: keyOf, run: keyOf },
        },
      ),
  };
}

const told = ({ definition, version, isPublished, publication }: Plan) => ({
  ...{ definition: definition?.version, version: version?.version_number, isPublished },
  publication: publication.publish || publication.because,
});

afterEach(() => vi.restoreAllMocks());

describe('raising a limit', () => {
  it('registers, makes a version, publishes it in the place of the one that ran, and runs it', async () => {
    const { find, started, called } = service();
    const dialog = await opened();
    expect(told(dialog.shown())).toMatchObject({ isPublished: false, publication: true });
    await dialog.press();
    expect(find(103)).toMatchObject({ state: 'published', graph: graphWith(8) });
    expect(called.publishWorkflowVersion.mock.calls[0]?.[0]).toMatchObject({
      body: { published_version_id: 102 },
    });
    expect(started).toEqual([103]);
  });

  it('goes on in another dialog where one was closed, and says so', async () => {
    const { versions, called } = service();
    called.publishWorkflowVersion.mockRejectedValueOnce(new ApiError(503, {}));
    await expect((await opened()).press()).rejects.toThrow();

    const again = await opened();
    expect(again.proposed).toBe(1024);
    const found = { definition: '2', version: 3 };
    expect(told(again.shown())).toEqual({ ...found, isPublished: false, publication: true });
    called.startRun.mockRejectedValueOnce(new ApiError(503, {}));
    await expect(again.press()).rejects.toThrow();

    const last = await opened();
    expect(told(last.shown())).toEqual({ ...found, isPublished: true, publication: true });
    await last.press();
    expect(versions).toHaveLength(3);
    expect(called.publishWorkflowVersion).toHaveBeenCalledTimes(2);
  });

  it('publishes no draft of somebody else, not even one that is the same', async () => {
    const { add, find, started, called } = service();
    await api.registerNodeDefinition({ body: { resources: { ...more } } } as never);
    add(graphWith(8), { created_by: colleague });
    const dialog = await opened();
    expect(dialog.proposed).toBeUndefined();
    expect(told(dialog.shown())).toMatchObject({ version: undefined, publication: 'draft' });
    await dialog.press();
    expect(called.publishWorkflowVersion).not.toHaveBeenCalled();
    expect([find(103).state, started]).toEqual(['draft', [104]]);
  });

  it('uses a published version that is the same, whoever made it', async () => {
    const { add, started } = service();
    await api.registerNodeDefinition({ body: { resources: { ...more } } } as never);
    add(graphWith(8), { created_by: colleague, state: 'published' });
    const dialog = await opened();
    expect(told(dialog.shown())).toMatchObject({ version: 3, isPublished: true });
    await dialog.press();
    expect(started).toEqual([103]);
  });
});

const more = { cpu: 1, memory_mb: 1024, gpu: 0, disk_mb: 1024 };

describe('what was not shown is not done', () => {
  it('when somebody has published since the dialog opened', async () => {
    const { add, started, versions } = service();
    const dialog = await opened();
    add(graphWith(6), { created_by: colleague, state: 'published' });
    await expect(dialog.press()).rejects.toThrow(PlanChanged);
    expect([versions.length, started]).toEqual([3, []]);

    expect(told(dialog.shown())).toMatchObject({ publication: 'newer' });
    await dialog.press();
    expect(versions.map(({ state }) => state)).toEqual([
      ...['draft', 'published', 'published', 'draft'],
    ]);
    expect(started).toEqual([104]);
  });

  it('when somebody publishes at the same moment', async () => {
    const { add, change, called, started } = service();
    add(graphWith(6), { created_by: colleague, state: 'archived' });
    const dialog = await opened();
    const publish = called.publishWorkflowVersion.getMockImplementation();
    called.publishWorkflowVersion.mockImplementationOnce((async (args: Args) => {
      change(103, { state: 'published' });
      return publish?.(args as never);
    }) as never);
    await expect(dialog.press()).rejects.toMatchObject({ code: 'other_published' });
    expect(started).toEqual([]);
  });

  it('when somebody makes a draft while the version is made', async () => {
    const { add, called, started } = service();
    const dialog = await opened();
    const create = called.createWorkflowVersion.getMockImplementation();
    called.createWorkflowVersion.mockImplementationOnce((async (args: Args) => {
      add(graphWith(6), { created_by: colleague });
      return create?.(args as never);
    }) as never);
    await expect(dialog.press()).rejects.toThrow(PlanChanged);
    expect(called.publishWorkflowVersion).not.toHaveBeenCalled();
    await expect(dialog.press()).rejects.toThrow(PlanChanged);

    expect(told(dialog.shown())).toMatchObject({ version: 4, publication: 'draft' });
    await dialog.press();
    expect(called.publishWorkflowVersion).not.toHaveBeenCalled();
    expect(started).toEqual([104]);
  });

  it('when the draft that has run is edited', async () => {
    const { change, versions } = service('draft');
    const dialog = await opened();
    expect(told(dialog.shown())).toMatchObject({ publication: 'unpublished' });
    change(102, { logic_hash: 'another' });
    await expect(dialog.press()).rejects.toThrow(PlanChanged);
    expect(versions).toHaveLength(2);
  });

  it('with a version that somebody has edited after it was made', async () => {
    const { change, called, started } = service();
    called.publishWorkflowVersion.mockRejectedValueOnce(new ApiError(503, {}));
    const dialog = await opened();
    await expect(dialog.press()).rejects.toThrow();
    change(103, { logic_hash: 'another', graph: graphWith(9) });
    await expect(dialog.press()).rejects.toThrow(PlanChanged);
    expect(told(dialog.shown())).toMatchObject({ version: undefined, publication: 'draft' });
    expect(started).toEqual([]);
  });
});
