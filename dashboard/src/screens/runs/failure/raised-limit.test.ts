import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import { describe, expect, it } from 'vitest';
import { amountWords, largerUnit } from './limit-words.ts';
import {
  faultOf,
  limitReached,
  missingRight,
  newestAfter,
  proposedFor,
  publicationOf,
  registeredAs,
  withDefinition,
  withLimit,
} from './raised-limit.ts';

const definition: NodeDefinition = {
  ...{ id: 7, name: 'resize', version: '1', title: 'Resize', description: '', category: '' },
  ...{ image: 'registry.example/tools:1', command: ['true'], env: {}, inputs: [], outputs: [] },
  params: { type: 'object' },
  resources: { cpu: 1, memory_mb: 512, gpu: 0, disk_mb: 1024 },
  timeout_seconds: 90,
  retry: { max_attempts: 2, on: ['oom'] },
  network: 'none',
  cache: { enabled: true, version: '1' },
  scope: 'tenant',
  created_at: '2026-11-01T00:00:00.000Z',
};

describe('a limit that was reached', () => {
  it('is told from the kind of failure', () => {
    const of = (error_class?: string) => limitReached(error_class ? { error_class } : {});
    expect(['oom', undefined, 'timeout', 'disk_limit'].map(of)).toEqual([
      ...['memory_mb', 'memory_mb', 'timeout_seconds', 'disk_mb'],
    ]);
  });

  it('is doubled, as far as the service allows it', () => {
    expect(proposedFor(512, 'memory_mb')).toBe(1024);
    expect(proposedFor(400_000, 'timeout_seconds')).toBe(604_800);
  });

  it('becomes a whole number that is greater, and that the service takes', () => {
    expect(faultOf('1024', 512, 'memory_mb')).toBeUndefined();
    expect(faultOf(' 513 ', 512, 'memory_mb')).toBeUndefined();
    for (const text of ['', '1.5', '-1', '2 GB', '1e3'])
      expect(faultOf(text, 512, 'memory_mb')).toBe('A whole number.');
    expect(faultOf('512', 512, 'memory_mb')).toMatch(/^More than 512/);
    expect(faultOf('4194305', 512, 'memory_mb')).toBe('At most 4,194,304.');
    expect(faultOf('604801', 90, 'timeout_seconds')).toBe('At most 604,800.');
    expect(faultOf('604801', 604_800, 'timeout_seconds')).toMatch(/^It has the most/);
  });

  it('is told in units that are easy to grasp', () => {
    expect(amountWords(4_194_304, 'memory_mb')).toBe('4,194,304 MB');
    expect(amountWords(90, 'timeout_seconds')).toBe('1 min 30 s');
    expect(largerUnit(2048, 'disk_mb')).toBe('2.0 GB');
    expect(largerUnit(512, 'memory_mb')).toBeUndefined();
  });
});

describe('the next version of the definition', () => {
  it('is the same but for the limit', () => {
    const { id, version, scope, created_at, ...same } = definition;
    expect(withLimit(definition, 'memory_mb', 1024)).toEqual({
      ...same,
      resources: { ...definition.resources, memory_mb: 1024 },
    });
    expect(withLimit(definition, 'timeout_seconds', 180)).toEqual({
      ...same,
      timeout_seconds: 180,
    });
  });

  it('is one that the organization has registered already', () => {
    const wanted = withLimit(definition, 'disk_mb', 2048);
    const resources = { ...definition.resources, disk_mb: 2048 };
    const made = { ...definition, resources, id: 8, version: '2' };
    expect(registeredAs([definition, made], wanted)).toBe(made);
    expect(registeredAs([definition, { ...made, image: 'other:1' }], wanted)).toBeUndefined();
    expect(registeredAs([{ ...made, scope: 'platform' }], wanted)).toBeUndefined();
  });

  it('takes the place of the old one wherever that is used', () => {
    const node = (key: string, node_definition_id: number) => ({ key, node_definition_id });
    const graph = { nodes: [], edges: [], inputs: [], variables: [] };
    const before = { ...graph, nodes: [node('a', 7), node('b', 9), node('c', 7)] };
    expect(withDefinition(before, 7, 8).nodes).toEqual([node('a', 8), node('b', 9), node('c', 8)]);
  });
});

const version = (
  version_number: number,
  state: 'draft' | 'published' | 'archived',
  created_by = 1,
) => ({ id: 100 + version_number, workflow_id: 3, version_number, state, created_by });

describe('the new version of the workflow', () => {
  const ran = version(2, 'published');

  it('is published if the one that has run is the newest', () => {
    expect(publicationOf(ran, [version(1, 'published'), ran]).publish).toBe(true);
    const made = version(3, 'draft');
    expect(publicationOf(ran, [ran, made], made).publish).toBe(true);
    expect(publicationOf(ran, [ran, version(3, 'archived')]).publish).toBe(true);
  });

  it('stays a draft if the one that has run is not published', () => {
    for (const state of ['draft', 'archived'] as const)
      expect(publicationOf(version(2, state), [version(2, state)])).toMatchObject({
        because: 'unpublished',
      });
  });

  it('takes the place of nothing newer, published or not', () => {
    const versions = [ran, version(3, 'published'), version(4, 'draft', 5)];
    expect(publicationOf(ran, versions)).toMatchObject({
      because: 'newer',
      version: { version_number: 3 },
    });
    expect(publicationOf(ran, [ran, version(4, 'draft', 5)])).toMatchObject({
      because: 'draft',
      version: { version_number: 4, created_by: 5 },
    });
  });

  it('may be there by an earlier try', () => {
    const versions = [version(4, 'draft'), ran, version(3, 'draft'), version(5, 'archived')];
    expect(newestAfter(versions, ran)?.version_number).toBe(4);
    expect(newestAfter([ran, version(1, 'draft')], ran)).toBeUndefined();
  });
});

describe('the right to it', () => {
  const workflow = { created_by: 1 };

  it('has whoever created the workflow and started the run, and an administrator', () => {
    const run = { started_by: 1 };
    expect(missingRight({ id: 1, role: 'member' }, workflow, run)).toBeUndefined();
    expect(missingRight({ id: 2, role: 'admin' }, workflow, run)).toBeUndefined();
  });

  it('is missed for the workflow, or for the run', () => {
    expect(missingRight({ id: 2, role: 'member' }, workflow, { started_by: 2 })).toBe('workflow');
    expect(missingRight({ id: 1, role: 'member' }, workflow, { started_by: 2 })).toBe('run');
  });
});
