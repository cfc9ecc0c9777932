/** Definitions with settings of every kind, and a draft of a workflow of them, for tests of the builder. */
import type { Client } from '../../server/test/cast.ts';
import { registerNode, storeCredentials } from '../../server/test/workflows.ts';

const cropParams = {
  type: 'object',
  properties: {
    width: {
      type: 'integer',
      minimum: 1,
      maximum: 5000,
      default: 800,
      description: 'In pixels; the height follows.',
    },
    mode: { title: 'How it fits', enum: ['fit', 'fill', 'stretch'], default: 'fit' },
    sharpen: { type: 'boolean', default: true },
    label: { type: 'string', maxLength: 40, description: 'Printed into the corner.' },
    token: { title: 'Access key', type: 'string', 'x-secret': true },
    colours: { type: 'array', items: { type: 'string' }, maxItems: 4 },
    margins: {
      type: 'object',
      properties: {
        top: { type: 'number', minimum: 0, default: 0 },
        bottom: { type: 'number', minimum: 0, default: 0 },
      },
    },
    filters: { type: 'array', uniqueItems: true, items: { enum: ['blur', 'grey', 'negative'] } },
    extra: { description: 'Handed on to the program.' },
  },
};

export type BuilderWorld = {
  split: number;
  crop: number;
  newerCrop: number;
  read: number;
  report: number;
};

/** Split PDF → pages, Crop, Read text, Report. */
export async function builderDefinitions(admin: Client): Promise<BuilderWorld> {
  await storeCredentials(admin);
  const png = 'image/png';
  const crop = {
    name: 'crop',
    title: 'Crop',
    description: 'Cuts pictures to a width.',
    inputs: [{ name: 'image', cardinality: 'one', media_types: ['image/*'] }],
    outputs: [{ name: 'image', glob: '*.png', cardinality: 'one', media_type: png }],
    params: cropParams,
    retry: { max_attempts: 3, on: ['oom', 'timeout'] },
  };
  return {
    split: await registerNode(admin, {
      name: 'split-pdf',
      title: 'Split PDF',
      inputs: [{ name: 'pdf', cardinality: 'one', media_types: ['application/pdf'] }],
      outputs: [{ name: 'pages', glob: '*.png', cardinality: 'many', media_type: png }],
    }),
    crop: await registerNode(admin, crop),
    newerCrop: await registerNode(admin, { ...crop, version: '2' }),
    read: await registerNode(admin, {
      name: 'read-text',
      title: 'Read text',
      inputs: [{ name: 'image', cardinality: 'one', media_types: ['image/*'] }],
      outputs: [{ name: 'text', glob: '*.txt', cardinality: 'one', media_type: 'text/plain' }],
      params: { properties: { language: { type: 'string', default: 'en' } } },
    }),
    report: await registerNode(admin, {
      name: 'report',
      title: 'Report',
      inputs: [
        { name: 'texts', cardinality: 'many', media_types: ['text/*'] },
        { name: 'cover', cardinality: 'optional', media_types: ['image/*'] },
      ],
      outputs: [{ name: 'report', glob: '*.md', cardinality: 'one', media_type: 'text/markdown' }],
      params: { properties: { title: { type: 'string' } } },
    }),
  };
}

/** Split → Crop → Read → Report, with a few faults. */
export function faultyGraph({ split, crop, read, report }: BuilderWorld) {
  return {
    nodes: [
      { key: 'split', node_definition_id: split, title: 'Split the scan' },
      {
        key: 'crop',
        node_definition_id: crop,
        title: 'Crop',
        map: true,
        params: { width: '{{vars.width}}', label: 'p {{vars.langage}}', mode: 'fill' },
        when: 'file.size_bytes > 1000 && vars.width >= 100',
      },
      {
        key: 'read',
        node_definition_id: read,
        title: 'Read the text',
        map: true,
        on_error: 'continue',
      },
      { key: 'report', node_definition_id: report, title: 'Report', params: { title: 7 } },
      { key: 'cover', node_definition_id: crop, title: 'Cover' },
    ],
    edges: [
      { from: { input: 'scans' }, to: { node: 'split', port: 'pdf' } },
      { from: { node: 'split', port: 'pages' }, to: { node: 'crop', port: 'image' } },
      { from: { node: 'crop', port: 'image' }, to: { node: 'read', port: 'image' } },
      {
        from: { node: 'read', port: 'text' },
        to: { node: 'report', port: 'texts' },
        min_success_ratio: 0.95,
      },
    ],
    inputs: [{ name: 'scans', media_types: ['application/pdf'] }],
    variables: [
      { variable_name: 'width', type: 'integer', default: 640, minimum: 1, maximum: 5000 },
      { variable_name: 'language', type: 'enum', enum: ['en', 'fr'], required: true },
    ],
  };
}

/** A workflow with this draft. @returns the path of its builder. */
export async function draftOf(admin: Client, name: string, graph: object): Promise<string> {
  const { status, body } = await admin.post('/workflows', { name, graph });
  if (status !== 201) throw new Error(`not made: ${JSON.stringify(body)}`);
  return `/workflows/${body.id}/versions/${body.latest_version_id}`;
}
