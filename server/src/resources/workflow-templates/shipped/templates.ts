/** The templates that come with a release. They work at once: their images are made here. */
import type { Graph, GraphNode, GraphVariable } from '@cogworks/graph/types';
import type { Sample } from '../schema.ts';
import { samples } from './samples.ts';
import { type StepName, shippedSteps } from './steps.ts';

/** A node names a step; its definition is looked up when the template is stored. */
type Node = Omit<GraphNode, 'node_definition_id'> & { step: StepName };

export type ShippedTemplate = {
  /** Stays the same over releases. */
  key: string;
  name: string;
  description: string;
  category: string;
  /** To try it on. */
  samples: readonly Sample[];
  graph: Omit<Graph, 'nodes'> & { nodes: Node[] };
};

const at = (column: number, row = 0) => ({ x: 280 + 300 * column, y: 80 + 180 * row });

const variable = (given: GraphVariable): GraphVariable => given;

const language = variable({
  variable_name: 'language',
  type: 'enum',
  enum: ['eng', 'deu', 'fra', 'ita', 'nld', 'por', 'spa', 'deu+eng'],
  default: 'eng',
  description: 'The language of the scans.',
});

const titleOf = (step: StepName) => shippedSteps.find(({ name }) => name === step)?.title ?? step;

/** Once per file, and nothing else. */
const each = (
  step: StepName,
  input: string,
  port: string,
  media_types: string[],
  more: { params?: Record<string, unknown>; variables?: GraphVariable[] } = {},
): ShippedTemplate['graph'] => ({
  inputs: [{ name: input, media_types }],
  variables: more.variables ?? [],
  nodes: [
    {
      key: step,
      title: titleOf(step),
      step,
      map: true,
      position: at(0),
      ...(more.params && { params: more.params }),
    },
  ],
  edges: [{ from: { input }, to: { node: step, port } }],
});

const all = (
  step: StepName,
  input: string,
  media_types: string[] | undefined,
  more: { params?: Record<string, unknown>; variables?: GraphVariable[] } = {},
): ShippedTemplate['graph'] => ({
  inputs: [{ name: input, ...(media_types && { media_types }) }],
  variables: more.variables ?? [],
  nodes: [
    {
      key: step,
      title: titleOf(step),
      step,
      position: at(0),
      ...(more.params && { params: more.params }),
    },
  ],
  edges: [{ from: { input }, to: { node: step, port: input } }],
});

const pdf = ['application/pdf'];

export const shippedTemplates: readonly ShippedTemplate[] = [
  {
    key: 'scans',
    name: 'Scans to searchable PDFs',
    description:
      'Straightens and cleans scanned pages, recognises their text, and gives a PDF of each that can be searched; and all of them in one PDF, with a table of what they contain. A scan that cannot be read does not stop the others.',
    category: 'Scans',
    samples: samples.scans,
    graph: {
      inputs: [{ name: 'scans', media_types: ['image/*'] }],
      variables: [language],
      nodes: [
        { key: 'clean', title: 'Clean', step: 'clean-scan', map: true, position: at(0) },
        {
          ...{
            key: 'recognise',
            title: 'Recognise text',
            step: 'recognise-text',
            map: true,
            position: at(1),
          },
          params: { language: '{{vars.language}}' },
        },
        { key: 'finish', title: 'Searchable PDF', step: 'finish-pdf', map: true, position: at(2) },
        {
          key: 'summarise',
          title: 'Summarise',
          step: 'count-words',
          map: true,
          position: at(2, 1),
        },
        {
          ...{ key: 'together', title: 'All in one PDF', step: 'merge-pdfs', position: at(3) },
          params: { name: 'All scans' },
        },
        {
          ...{ key: 'report', title: 'Report', step: 'gather-table', position: at(3, 1) },
          params: { name: 'Report' },
        },
      ],
      edges: [
        { from: { input: 'scans' }, to: { node: 'clean', port: 'scan' } },
        {
          from: { node: 'clean', port: 'page' },
          to: { node: 'recognise', port: 'page' },
        },
        { from: { node: 'recognise', port: 'pdf' }, to: { node: 'finish', port: 'pdf' } },
        { from: { node: 'recognise', port: 'text' }, to: { node: 'summarise', port: 'text' } },
        {
          ...{ from: { node: 'recognise', port: 'pdf' }, to: { node: 'together', port: 'pdfs' } },
          min_success_ratio: 0.01,
        },
        {
          ...{
            from: { node: 'summarise', port: 'counts' },
            to: { node: 'report', port: 'tables' },
          },
          min_success_ratio: 0.01,
        },
      ],
    },
  },
  {
    key: 'resize-pictures',
    name: 'Resize pictures',
    description:
      'Makes pictures fit a size, upright and without hidden data such as places, in the format that you choose.',
    category: 'Pictures',
    samples: samples.pictures,
    graph: each('resize-picture', 'pictures', 'picture', ['image/*'], {
      params: {
        size: '{{vars.size}}',
        format: '{{vars.format}}',
        quality: '{{vars.quality}}',
      },
      variables: [
        variable({
          ...{
            variable_name: 'size',
            type: 'integer',
            default: 1600,
            minimum: 16,
            maximum: 10_000,
          },
          description: 'The longer side in pixels.',
        }),
        variable({
          ...{
            variable_name: 'format',
            type: 'enum',
            enum: ['jpg', 'png', 'webp'],
            default: 'jpg',
          },
          description: 'The format of the new pictures.',
        }),
        variable({
          ...{ variable_name: 'quality', type: 'integer', default: 85, minimum: 1, maximum: 100 },
          description: 'For jpg and webp.',
        }),
      ],
    }),
  },
  {
    key: 'contact-sheet',
    name: 'Contact sheet',
    description: 'Draws all pictures small, with their names, on one sheet or several.',
    category: 'Pictures',
    samples: samples.whole_pictures,
    graph: all('contact-sheet', 'pictures', ['image/*'], {
      params: { columns: '{{vars.columns}}', size: '{{vars.size}}' },
      variables: [
        variable({
          ...{ variable_name: 'columns', type: 'integer', default: 5, minimum: 1, maximum: 12 },
          description: 'Pictures beside each other.',
        }),
        variable({
          ...{ variable_name: 'size', type: 'integer', default: 240, minimum: 32, maximum: 1000 },
          description: 'The longer side of each picture in pixels.',
        }),
      ],
    }),
  },
  {
    key: 'pdf-to-text',
    name: 'PDF to text',
    description: 'Takes the words out of PDFs, a text for each.',
    category: 'PDF',
    samples: samples.pdfs,
    graph: each('pdf-to-text', 'pdfs', 'pdf', pdf),
  },
  {
    key: 'merge-pdfs',
    name: 'Merge PDFs in order',
    description: 'One PDF of many, in the order of their names: page 2 comes before page 10.',
    category: 'PDF',
    samples: samples.whole_pdfs,
    graph: all('merge-pdfs', 'pdfs', pdf, {
      params: { name: '{{vars.name}}' },
      variables: [
        variable({
          ...{ variable_name: 'name', type: 'string', default: 'Merged' },
          pattern: '^[^/\\u0000-\\u001f]{1,100}$',
          description: 'The name of the new file.',
        }),
      ],
    }),
  },
  {
    key: 'split-pdf',
    name: 'Split a PDF into pages',
    description: 'A PDF for each page, or for each few pages.',
    category: 'PDF',
    samples: samples.pdfs,
    graph: each('split-pdf', 'pdfs', 'pdf', pdf, {
      params: { pages: '{{vars.pages}}' },
      variables: [
        variable({
          ...{ variable_name: 'pages', type: 'integer', default: 1, minimum: 1, maximum: 10_000 },
          description: 'Pages of each part.',
        }),
      ],
    }),
  },
  {
    key: 'count-words',
    name: 'Count words',
    description:
      'A table of texts: lines, words, and the long words that each uses most. A file that is no text does not stop the others.',
    category: 'Text',
    samples: samples.texts,
    graph: {
      inputs: [{ name: 'texts', media_types: ['text/*'] }],
      variables: [],
      nodes: [
        { key: 'count', title: 'Count words', step: 'count-words', map: true, position: at(0) },
        {
          key: 'table',
          title: 'Table',
          step: 'gather-table',
          params: { name: 'Words' },
          position: at(1),
        },
      ],
      edges: [
        { from: { input: 'texts' }, to: { node: 'count', port: 'text' } },
        {
          ...{
            from: { node: 'count', port: 'counts' },
            to: { node: 'table', port: 'tables' },
          },
          min_success_ratio: 0.01,
        },
      ],
    },
  },
  {
    key: 'text-to-utf8',
    name: 'Convert texts to UTF-8',
    description:
      'Converts texts of an older encoding, and leaves those that are UTF-8 as they are.',
    category: 'Text',
    samples: samples.old_texts,
    graph: each('text-to-utf8', 'texts', 'text', ['text/*'], {
      params: { encoding: '{{vars.encoding}}' },
      variables: [
        variable({
          ...{ variable_name: 'encoding', type: 'string', default: 'WINDOWS-1252' },
          pattern: '^[A-Za-z0-9_.:-]{1,40}$',
          description: 'The encoding of texts that are not UTF-8.',
        }),
      ],
    }),
  },
  {
    key: 'inventory',
    name: 'Inventory of a folder',
    description:
      'A table of files with their sizes and SHA-256 checksums, which says which of them are the same; and a list that sha256sum checks.',
    category: 'Files',
    samples: samples.mixed,
    graph: all('inventory', 'files', undefined),
  },
];
