import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { describe, expect, it } from 'vitest';
import {
  definitionOf,
  faultsOf,
  formOf,
  imageWords,
  newForm,
  paramsOf,
} from './definition-form.ts';

const definition: NodeDefinition = {
  id: 7,
  name: 'resize',
  version: '1.9',
  title: 'Resize pictures',
  description: 'Smaller.',
  category: 'Pictures',
  image: 'registry.example/tools:1',
  command: ['sh', '-c', 'first\nsecond'],
  env: { LANG: 'C' },
  inputs: [{ name: 'picture', cardinality: 'one', media_types: ['image/*'] }],
  outputs: [{ name: 'small', glob: '*.jpg', cardinality: 'many' }],
  params: {
    type: 'object',
    properties: { width: { type: 'integer', default: 280 } },
    additionalProperties: false,
  },
  resources: { cpu: 0.5, memory_mb: 64, gpu: 0, disk_mb: 64 },
  timeout_seconds: 60,
  retry: { max_attempts: 2, on: ['oom'] },
  network: 'egress',
  cache: { enabled: false, version: '2' },
  scope: 'tenant',
  created_at: '2026-11-23T12:00:00Z',
};

describe('the form of a definition', () => {
  it('sends what it was filled with, under the next version', () => {
    const { id: _, scope: __, created_at: ___, ...sent } = definition;
    expect(definitionOf(formOf(definition, '1.10'))).toEqual({ ...sent, version: '1.10' });
  });

  it('leaves out what was left empty, and sends what is no number for the service to refuse', () => {
    const sent = definitionOf({ ...newForm(), cpu: '0,5', memory_mb: 'much' });
    expect(sent).not.toHaveProperty('title');
    expect(sent).not.toHaveProperty('digest');
    expect(sent.resources).toEqual({ cpu: 0.5, memory_mb: 'much', gpu: 0, disk_mb: 1024 });
    expect(sent.inputs).toEqual([{ name: 'file', cardinality: 'one' }]);
  });

  it('has a schema that rows cannot tell as JSON', () => {
    const form = formOf({ ...definition, params: { type: 'object', minProperties: 1 } }, '2');
    expect(form.paramsJson).toContain('minProperties');
    expect(paramsOf(form)).toEqual({ type: 'object', minProperties: 1 });
    expect(['[]', '{', 'null'].map((paramsJson) => paramsOf({ ...form, paramsJson }))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

it('puts what the service refuses at its field', () => {
  const fault = (loc: (string | number)[], msg: string) => ({ loc, msg, type: 'value_error' });
  const detail = [
    fault(['body', 'inputs', 0, 'media_types', 1], 'No type.'),
    fault(['body', 'params', 'properties', 'width', 'minimum'], 'No number.'),
    fault(['body', 'image'], 'No image.'),
    fault(['body', 'image'], 'Too long.'),
    fault(['body', 'surprise'], 'Unknown.'),
  ];
  const { byField, others } = faultsOf(new ApiError(422, { detail }));
  expect(Object.fromEntries(byField)).toEqual({
    'inputs.0.media_types': 'No type.',
    'params.properties.width': 'No number.',
    image: 'No image. Too long.',
  });
  expect(others).toEqual(['Unknown.']);
  const taken = new ApiError(409, { detail: 'Is registered.', code: 'version_exists' });
  expect(faultsOf(taken).byField.get('version')).toBe('Is registered.');
});

it('says what the name of an image means, and that a digest fixes it', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  expect(imageWords('registry.example/tools:1', '').words).toBe(
    'tools at registry.example. The tag “1” may later mean another image; a digest fixes it.',
  );
  expect(imageWords('registry.example/tools:1', digest).words).toMatch(/always exactly this image/);
  expect(imageWords('Registry Example', '').isFault).toBe(true);
  expect(imageWords('tools', 'sha256:12').isFault).toBe(true);
  expect(imageWords(`tools@sha256:${'b'.repeat(64)}`, digest).isFault).toBe(true);
});
