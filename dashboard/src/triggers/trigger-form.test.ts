import type { Variable } from '@cogworks/sdk/contract.gen';
import { describe, expect, it } from 'vitest';
import {
  formOf,
  missingValues,
  ownValues,
  pointersOf,
  shownValues,
  typeFields,
} from './trigger-form.ts';

const variables: Variable[] = [
  { variable_name: 'width', type: 'integer', required: true, default: 280 },
  { variable_name: 'title', type: 'string', required: true },
  { variable_name: 'draft', type: 'boolean', required: false, default: true },
];

describe('the variables of a trigger', () => {
  it('show what was typed, else what is stored, else the default', () => {
    expect(shownValues(variables, { width: 100, draft: false }, { title: 'A' })).toEqual({
      width: '100',
      title: 'A',
      draft: false,
    });
  });

  it('are sent where they differ from the defaults, so that later defaults apply', () => {
    expect(ownValues(variables, { width: '280', title: 'A', draft: false })).toEqual({
      title: 'A',
      draft: false,
    });
  });

  it('are missing where one is required and neither given nor in the message', () => {
    const fields = shownValues(variables, {}, {});
    expect(missingValues(variables, fields, {})).toEqual(['title']);
    expect(missingValues(variables, fields, { title: '/a' })).toEqual([]);
  });
});

describe('the form of a trigger', () => {
  it('sends of a type what that type has', () => {
    const fields = (type: 'schedule' | 'webhook' | 'folder') =>
      Object.keys(typeFields(type, formOf({ type, folder_id: 4 }, 'UTC'))).toSorted();
    expect(fields('schedule')).toEqual(['catch_up', 'cron', 'dst', 'overlap', 'timezone']);
    expect(fields('webhook')).toEqual(['folder_id', 'mapping']);
    expect(fields('folder')).toEqual(['debounce_seconds', 'folder_id', 'media_types', 'recursive']);
  });

  it('keeps pointers of variables that the workflow has, and leaves out empty ones', () => {
    const mapping = { extra_variables: { title: '/t', gone: '/g' }, cog_ids: '/files' };
    const form = pointersOf(formOf({ type: 'webhook', mapping }, 'UTC'), variables);
    const cleared = { ...form, pointers: { ...form.pointers, width: '' } };
    expect(typeFields('webhook', cleared).mapping).toEqual({
      extra_variables: { title: '/t' },
      cog_ids: '/files',
    });
  });
});
