/** The graph of the demo. */
import type { Graph } from '@cogworks/sdk/contract.gen';
import type { NodeKey } from './nodes/definitions.ts';

export const workflowName = 'Demo: documents and pictures';

/**
 * ```
 * documents ─┬─ text ── count ─┐        text, count, preview: once per document
 *            └─ preview (when) ├─ report  thumbnail: once per picture
 * pictures ──── thumbnail ─────┘        report: once, over all of them
 * ```
 */
export function demoGraph(ids: Record<NodeKey, number>): Graph {
  const node = (key: NodeKey, x: number, y: number) => ({
    key,
    node_definition_id: ids[key],
    position: { x, y },
  });
  return {
    inputs: [
      { name: 'documents', media_types: ['application/pdf'] },
      { name: 'pictures', media_types: ['image/*'] },
    ],
    variables: [
      {
        variable_name: 'width',
        type: 'integer',
        default: 280,
        minimum: 16,
        maximum: 4000,
        description: 'Width of the thumbnails in pixels.',
      },
      {
        variable_name: 'make_previews',
        type: 'boolean',
        default: true,
        description: 'Whether to draw the first page of every document.',
      },
    ],
    nodes: [
      { ...node('text', 280, 60), map: true, params: { last_page: 500 } },
      { ...node('count', 540, 60), map: true, params: { long_word: 5, words_per_minute: 230 } },
      {
        ...node('preview', 280, 220),
        map: true,
        when: 'vars.make_previews == true',
        params: { dpi: 80 },
      },
      { ...node('thumbnail', 280, 380), map: true, params: { width: '{{vars.width}}' } },
      { ...node('report', 820, 220), params: { title: 'Documents and pictures' } },
    ],
    edges: [
      { from: { input: 'documents' }, to: { node: 'text', port: 'document' } },
      { from: { input: 'documents' }, to: { node: 'preview', port: 'document' } },
      { from: { input: 'pictures' }, to: { node: 'thumbnail', port: 'picture' } },
      { from: { node: 'text', port: 'text' }, to: { node: 'count', port: 'text' } },
      {
        from: { node: 'count', port: 'counts' },
        to: { node: 'report', port: 'counts' },
        // The report is made although one document is unreadable, and not if half of them are.
        min_success_ratio: 0.5,
      },
      {
        from: { node: 'thumbnail', port: 'thumbnail' },
        to: { node: 'report', port: 'thumbnails' },
        min_success_ratio: 0.5,
      },
    ],
  };
}
