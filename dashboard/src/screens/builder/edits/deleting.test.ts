import { graph, node } from '@cogworks/graph/examples';
import { expect, it } from 'vitest';
import { createEditor } from '../editor.ts';
import { deleteSelected } from './deleting.ts';

it('deletes whatever is selected, a variable too', () => {
  const variables = [{ variable_name: 'width', type: 'integer' as const }];
  const given = { ...graph([node('a', 1)], ['files > a.in']), variables };
  const editor = createEditor({ graph: given, definitions: new Map(), isReadOnly: false });

  editor.select(['variable:width']);
  expect(deleteSelected(editor)).toBe('Deleted 1 variable');
  expect(editor.getState().graph).toMatchObject({ variables: [], nodes: [{ key: 'a' }] });

  editor.select(['node:a', 'input:files']);
  expect(deleteSelected(editor)).toBe('Deleted a, 1 input');
  expect(editor.getState().graph).toMatchObject({ nodes: [], inputs: [], edges: [] });
  expect(deleteSelected(editor)).toBeUndefined();
});

it('deletes of what is cut only what is copied', () => {
  const variables = [{ variable_name: 'width', type: 'integer' as const }];
  const given = { ...graph([node('a', 1)], ['files > a.in']), variables };
  const editor = createEditor({ graph: given, definitions: new Map(), isReadOnly: false });

  editor.select(['node:a', 'input:files', 'variable:width']);
  expect(deleteSelected(editor, ['node', 'note'])).toBe('Deleted a');
  expect(editor.getState().graph).toMatchObject({ nodes: [], inputs: [{}], variables: [{}] });
});
