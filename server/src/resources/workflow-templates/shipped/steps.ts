/** The node definitions that come with a release: small programs in the images of the platform. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '@cogworks/graph/hash';
import { imageOf, recipes } from '../../../images/recipes/all.ts';
import type { NewNodeDefinition } from '../../node_definitions/schema.ts';

const script = (name: string, ...args: string[]) => [
  ...['sh', '-c', readFileSync(join(import.meta.dirname, `scripts/${name}.sh`), 'utf8'), name],
  ...args,
];

const paramsOf = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

const whole = (minimum: number, maximum: number, description: string) => ({
  ...{ type: 'integer', minimum, maximum, description },
});

const text = imageOf(recipes.text);
const documents = imageOf(recipes.documents);

/** Several run at once on a machine with two processors. */
const small = { cpu: 0.5, memory_mb: 128, gpu: 0, disk_mb: 1024 };
/** A scanned page in 600 dpi takes 300 MB while it is worked on. */
const large = { cpu: 1, memory_mb: 1024, gpu: 0, disk_mb: 2048 };

/** More threads than processors are many times slower. */
const oneThread = { MAGICK_THREAD_LIMIT: '1', OMP_THREAD_LIMIT: '1' };

const fileName = '^[^/\\u0000-\\u001f]{1,100}$';

const pdf = ['application/pdf'];

type Step = Omit<NewNodeDefinition, 'version' | 'name'>;

const steps = {
  'clean-scan': {
    title: 'Clean a scan',
    description:
      'Straightens a scanned page, makes it grey, and spreads its contrast; for all pages of a TIFF.',
    category: 'Scans',
    image: documents,
    command: script('clean-scan', '{{inputs.scan.path}}', '{{file.stem}}'),
    inputs: [{ name: 'scan', title: 'Scan', media_types: ['image/*'], cardinality: 'one' }],
    outputs: [{ name: 'page', glob: '*.tif', cardinality: 'one', media_type: 'image/tiff' }],
    env: oneThread,
    resources: large,
    timeout_seconds: 600,
  },
  'recognise-text': {
    title: 'Recognise text',
    description:
      'Reads the words of a page with Tesseract: a PDF that can be searched, and its text.',
    category: 'Scans',
    image: documents,
    command: [
      ...['tesseract', '{{inputs.page.path}}', '/data/outputs/{{file.stem}}'],
      ...['-l', '{{params.language}}', 'pdf', 'txt'],
    ],
    inputs: [{ name: 'page', title: 'Page', media_types: ['image/*'], cardinality: 'one' }],
    outputs: [
      { name: 'pdf', glob: '*.pdf', cardinality: 'one', media_type: 'application/pdf' },
      { name: 'text', glob: '*.txt', cardinality: 'one', media_type: 'text/plain' },
    ],
    params: paramsOf({
      language: {
        type: 'string',
        pattern: '^[a-z]{3}(\\+[a-z]{3})*$',
        description: 'The language of the page: deu, eng, fra, ita, nld, por, spa; or deu+eng.',
      },
    }),
    env: oneThread,
    resources: large,
    timeout_seconds: 1800,
  },
  'finish-pdf': {
    title: 'Finish a PDF',
    description: 'Writes a PDF so that its first page is shown before the rest has arrived.',
    category: 'PDF',
    image: documents,
    command: [
      ...['qpdf', '--warning-exit-0', '--linearize', '--object-streams=generate'],
      ...['{{inputs.pdf.path}}', '/data/outputs/{{file.stem}}.pdf'],
    ],
    inputs: [{ name: 'pdf', title: 'PDF', media_types: pdf, cardinality: 'one' }],
    outputs: [{ name: 'pdf', glob: '*.pdf', cardinality: 'one', media_type: 'application/pdf' }],
    resources: { ...small, memory_mb: 256 },
    timeout_seconds: 600,
  },
  'merge-pdfs': {
    title: 'Merge PDFs',
    description: 'One PDF of several, in the order of their names: page 2 comes before page 10.',
    category: 'PDF',
    image: documents,
    command: script('merge-pdfs', '{{inputs.pdfs.path}}'),
    inputs: [{ name: 'pdfs', title: 'PDFs', media_types: pdf, cardinality: 'many' }],
    outputs: [{ name: 'pdf', glob: '*.pdf', cardinality: 'one', media_type: 'application/pdf' }],
    params: paramsOf({
      name: { type: 'string', pattern: fileName, description: 'Of the file, without .pdf.' },
    }),
    resources: { ...small, memory_mb: 512 },
    timeout_seconds: 1800,
  },
  'split-pdf': {
    title: 'Split a PDF',
    description: 'A PDF for each page, or for each few pages.',
    category: 'PDF',
    image: documents,
    command: [
      ...['qpdf', '--warning-exit-0', '--split-pages={{params.pages}}', '{{inputs.pdf.path}}'],
      '/data/outputs/{{file.stem}}.pdf',
    ],
    inputs: [{ name: 'pdf', title: 'PDF', media_types: pdf, cardinality: 'one' }],
    outputs: [{ name: 'pages', glob: '*.pdf', cardinality: 'many', media_type: 'application/pdf' }],
    params: paramsOf({ pages: whole(1, 10_000, 'Pages of each part.') }),
    resources: { ...small, memory_mb: 256 },
    timeout_seconds: 600,
  },
  'pdf-to-text': {
    title: 'Text of a PDF',
    description: 'Takes the words out of a PDF. A scan has none: recognise its text first.',
    category: 'PDF',
    image: documents,
    command: [
      ...['pdftotext', '-enc', 'UTF-8', '-layout'],
      ...['{{inputs.pdf.path}}', '/data/outputs/{{file.stem}}.txt'],
    ],
    inputs: [{ name: 'pdf', title: 'PDF', media_types: pdf, cardinality: 'one' }],
    outputs: [{ name: 'text', glob: '*.txt', cardinality: 'one', media_type: 'text/plain' }],
    resources: { ...small, memory_mb: 256 },
    timeout_seconds: 600,
  },
  'resize-picture': {
    title: 'Resize a picture',
    description:
      'Makes a picture fit into a square, upright and without hidden data; never larger than it was.',
    category: 'Pictures',
    image: documents,
    command: script('resize-picture', '{{inputs.picture.path}}', '{{file.stem}}'),
    inputs: [{ name: 'picture', title: 'Picture', media_types: ['image/*'], cardinality: 'one' }],
    outputs: [{ name: 'picture', glob: '*', cardinality: 'one' }],
    params: paramsOf({
      size: whole(16, 10_000, 'The longer side in pixels.'),
      format: { type: 'string', enum: ['jpg', 'png', 'webp'], description: 'Of the new file.' },
      quality: whole(1, 100, 'For jpg and webp.'),
    }),
    env: oneThread,
    resources: large,
    timeout_seconds: 600,
  },
  'contact-sheet': {
    title: 'Contact sheet',
    description: 'Small pictures with their names on one page, or on several if they are many.',
    category: 'Pictures',
    image: documents,
    command: script('contact-sheet', '{{inputs.pictures.path}}'),
    inputs: [
      { name: 'pictures', title: 'Pictures', media_types: ['image/*'], cardinality: 'many' },
    ],
    outputs: [{ name: 'sheets', glob: '*.jpg', cardinality: 'many', media_type: 'image/jpeg' }],
    params: paramsOf({
      columns: whole(1, 12, 'Pictures beside each other.'),
      size: whole(32, 1000, 'The longer side of each picture in pixels.'),
    }),
    env: oneThread,
    resources: large,
    timeout_seconds: 1800,
  },
  'count-words': {
    title: 'Count words',
    description: 'Lines, words and characters of a text, and the long words it uses most.',
    category: 'Text',
    image: text,
    command: script('count-words', '{{inputs.text.path}}', '{{file.stem}}'),
    inputs: [{ name: 'text', title: 'Text', media_types: ['text/*'], cardinality: 'one' }],
    outputs: [{ name: 'counts', glob: '*.csv', cardinality: 'one', media_type: 'text/csv' }],
    resources: small,
    timeout_seconds: 600,
  },
  'gather-table': {
    title: 'Gather a table',
    description: 'One table of many with the same columns, in the order of their names.',
    category: 'Text',
    image: text,
    command: script('gather-table', '{{inputs.tables.path}}'),
    inputs: [{ name: 'tables', title: 'Tables', media_types: ['text/csv'], cardinality: 'many' }],
    outputs: [{ name: 'table', glob: '*.csv', cardinality: 'one', media_type: 'text/csv' }],
    params: paramsOf({
      name: { type: 'string', pattern: fileName, description: 'Of the file, without .csv.' },
    }),
    resources: small,
    timeout_seconds: 600,
  },
  'text-to-utf8': {
    title: 'Text to UTF-8',
    description:
      'Leaves a text that is UTF-8 as it is, and converts any other. Lines end as in Unix.',
    category: 'Text',
    image: text,
    command: script('text-to-utf8', '{{inputs.text.path}}', '{{file.name}}'),
    inputs: [{ name: 'text', title: 'Text', media_types: ['text/*'], cardinality: 'one' }],
    outputs: [{ name: 'text', glob: '*', cardinality: 'one', media_type: 'text/plain' }],
    params: paramsOf({
      encoding: {
        type: 'string',
        pattern: '^[A-Za-z0-9_.:-]{1,40}$',
        description: 'Of texts that are not UTF-8, such as WINDOWS-1252, ISO-8859-15, UTF-16.',
      },
    }),
    resources: small,
    timeout_seconds: 600,
  },
  inventory: {
    title: 'Inventory',
    description: 'A table of files with their sizes, checksums, and which are the same.',
    category: 'Files',
    image: text,
    command: script('inventory', '{{inputs.files.path}}'),
    inputs: [{ name: 'files', title: 'Files', cardinality: 'many' }],
    outputs: [
      { name: 'table', glob: 'inventory.csv', cardinality: 'one', media_type: 'text/csv' },
      { name: 'sums', glob: 'SHA256SUMS.txt', cardinality: 'one', media_type: 'text/plain' },
    ],
    resources: { ...small, disk_mb: 8192 },
    timeout_seconds: 3600,
  },
} satisfies Record<string, Step>;

export type StepName = keyof typeof steps;

/**
 * A definition never changes, so its version is named after a hash of its content: another release
 * finds those that stay, and adds those that differ.
 */
export const shippedSteps: readonly (NewNodeDefinition & { name: StepName })[] = Object.entries(
  steps,
).map(([name, step]) => {
  const hash = createHash('sha256').update(canonicalJson(step)).digest('hex');
  return { ...(step as Step), name: name as StepName, version: `1-${hash.slice(0, 10)}` };
});
