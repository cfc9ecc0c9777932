/**
 * The demo's nodes: inputs, outputs and resources. Three are plain program calls; the shell scripts
 * beside this file implement `count` and `report`.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '@cogworks/graph/hash';
import type { NewNodeDefinition } from '@cogworks/sdk/contract.gen';

const script = (name: string) => readFileSync(join(import.meta.dirname, `${name}.sh`), 'utf8');

const wholeNumber = (minimum: number, maximum: number, description: string) => ({
  type: 'integer',
  minimum,
  maximum,
  description,
});

const paramsOf = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Small enough that several run at once on a machine with two processors. */
const small = { cpu: 0.5, memory_mb: 192, gpu: 0, disk_mb: 64 };

type Unversioned = Omit<NewNodeDefinition, 'version' | 'image' | 'digest'>;

const nodes = {
  text: {
    name: 'demo-text',
    title: 'Text of a PDF',
    description: 'Takes the words out of a PDF with pdftotext.',
    command: [
      ...['pdftotext', '-enc', 'UTF-8', '-l', '{{params.last_page}}'],
      ...['{{inputs.document.path}}', '/data/outputs/{{file.stem}}.txt'],
    ],
    inputs: [{ name: 'document', media_types: ['application/pdf'], cardinality: 'one' }],
    outputs: [{ name: 'text', glob: '*.txt', cardinality: 'one', media_type: 'text/plain' }],
    params: paramsOf({ last_page: wholeNumber(1, 10_000, 'Pages after this one are left out.') }),
    resources: small,
    timeout_seconds: 60,
  },
  count: {
    name: 'demo-count',
    title: 'Count words',
    description: 'Counts the pages and words of a text and finds its most used long words.',
    command: ['sh', '-c', script('count'), 'count', '{{inputs.text.path}}', '{{file.stem}}'],
    inputs: [{ name: 'text', media_types: ['text/plain'], cardinality: 'one' }],
    outputs: [{ name: 'counts', glob: '*.csv', cardinality: 'one', media_type: 'text/csv' }],
    params: paramsOf({
      long_word: wholeNumber(1, 40, 'Shorter words are not listed as frequent.'),
      words_per_minute: wholeNumber(50, 1000, 'How fast somebody reads.'),
    }),
    resources: small,
    timeout_seconds: 60,
  },
  preview: {
    name: 'demo-preview',
    title: 'Picture of the first page',
    description: 'Draws the first page of a PDF with pdftoppm.',
    command: [
      ...['pdftoppm', '-png', '-r', '{{params.dpi}}', '-f', '1', '-l', '1', '-singlefile'],
      ...['{{inputs.document.path}}', '/data/outputs/{{file.stem}}'],
    ],
    inputs: [{ name: 'document', media_types: ['application/pdf'], cardinality: 'one' }],
    outputs: [{ name: 'page', glob: '*.png', cardinality: 'one', media_type: 'image/png' }],
    params: paramsOf({ dpi: wholeNumber(20, 600, 'Dots per inch.') }),
    resources: small,
    timeout_seconds: 60,
  },
  thumbnail: {
    name: 'demo-thumbnail',
    title: 'Thumbnail',
    description: 'Makes a picture small with ImageMagick.',
    command: [
      ...['convert', '{{inputs.picture.path}}', '-auto-orient', '-thumbnail', '{{params.width}}x'],
      ...['-quality', '85', '/data/outputs/{{file.stem}}.jpg'],
    ],
    inputs: [{ name: 'picture', media_types: ['image/*'], cardinality: 'one' }],
    outputs: [{ name: 'thumbnail', glob: '*.jpg', cardinality: 'one', media_type: 'image/jpeg' }],
    params: paramsOf({ width: wholeNumber(16, 4000, 'Width in pixels.') }),
    resources: small,
    timeout_seconds: 60,
  },
  report: {
    name: 'demo-report',
    title: 'Report',
    description: 'Gathers all counts and thumbnails in one page that needs nothing else.',
    command: [
      ...['sh', '-c', script('report'), 'report'],
      ...['{{inputs.counts.path}}', '{{inputs.thumbnails.path}}', '{{run.id}}'],
    ],
    inputs: [
      { name: 'counts', media_types: ['text/csv'], cardinality: 'many' },
      { name: 'thumbnails', media_types: ['image/jpeg'], cardinality: 'many' },
    ],
    outputs: [
      { name: 'report', glob: 'report.html', cardinality: 'one', media_type: 'text/html' },
      { name: 'table', glob: 'word-counts.csv', cardinality: 'one', media_type: 'text/csv' },
    ],
    params: paramsOf({ title: { type: 'string', maxLength: 200 } }),
    resources: small,
    timeout_seconds: 60,
  },
} satisfies Record<string, Unversioned>;

export type NodeKey = keyof typeof nodes;

/**
 * The definitions for an image. Versions are immutable, so each is named after a hash of its
 * content: the next demo finds it again, and a changed node becomes a new version.
 */
export function definitionsFor(image: string, digest: string): Record<NodeKey, NewNodeDefinition> {
  const versioned = Object.entries(nodes).map(([key, node]) => {
    const definition = { ...node, category: 'demo', image, digest };
    const hash = createHash('sha256').update(canonicalJson(definition)).digest('hex');
    return [key, { ...definition, version: `1-${hash.slice(0, 10)}` }];
  });
  return Object.fromEntries(versioned);
}
