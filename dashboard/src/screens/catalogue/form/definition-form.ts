/** A definition as its form has it: text as typed, rows with keys. Pure. */
import { parseImage } from '@cogworks/graph/image-reference';
import type { InputPort, NewNodeDefinition, NodeDefinition } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { t } from '@lingui/core/macro';
import { emptyParam, type ParamRow, rowsOf, schemaOf } from '../params-model.ts';

export type Keyed<Row> = Row & { key: number };
type Cardinality = InputPort['cardinality'];

export type InputRow = {
  name: string;
  title: string;
  cardinality: Cardinality;
  media_types: string[];
};
export type OutputRow = {
  name: string;
  glob: string;
  cardinality: Cardinality;
  media_type: string;
};

export type Form = {
  name: string;
  version: string;
  title: string;
  description: string;
  category: string;
  image: string;
  digest: string;
  command: Keyed<{ text: string }>[];
  env: Keyed<{ name: string; value: string }>[];
  inputs: Keyed<InputRow>[];
  outputs: Keyed<OutputRow>[];
  /** Rows, or the text of a JSON Schema where rows cannot tell it. */
  params: Keyed<ParamRow>[];
  paramsJson: string | undefined;
  cpu: string;
  memory_mb: string;
  disk_mb: string;
  gpu: string;
  timeout_seconds: string;
  max_attempts: string;
  retry_on: string[];
  hasNetwork: boolean;
  isCached: boolean;
  cacheVersion: string;
};

let keys = 0;
/** A row of a list, which keeps its key while it is edited and moved. */
export const keyed = <Row extends object>(row: Row): Keyed<Row> => {
  keys += 1;
  return { ...row, key: keys };
};

export const emptyInput: InputRow = { name: '', title: '', cardinality: 'one', media_types: [] };
export const emptyOutput: OutputRow = { name: '', glob: '*', cardinality: 'one', media_type: '' };
export const newParam = () => keyed(emptyParam);

/** What most steps are like, so that the example beside shows something from the start. */
export const newForm = (): Form => ({
  name: '',
  version: '1',
  title: '',
  description: '',
  category: '',
  image: '',
  digest: '',
  command: [keyed({ text: '' })],
  env: [],
  inputs: [keyed({ ...emptyInput, name: 'file' })],
  outputs: [keyed({ ...emptyOutput, name: 'result' })],
  params: [],
  paramsJson: undefined,
  cpu: '1',
  memory_mb: '512',
  disk_mb: '1024',
  gpu: '0',
  timeout_seconds: '3600',
  max_attempts: '1',
  retry_on: [],
  hasNetwork: false,
  isCached: true,
  cacheVersion: '1',
});

/** The form of a definition, with the version that follows. */
export function formOf(definition: NodeDefinition, version: string): Form {
  const { resources, retry, network, cache, params } = definition;
  const rows = rowsOf(params);
  return {
    name: definition.name,
    version,
    title: definition.title === definition.name ? '' : definition.title,
    description: definition.description,
    category: definition.category,
    image: definition.image,
    digest: definition.digest ?? '',
    command: definition.command.map((text) => keyed({ text })),
    env: Object.entries(definition.env).map(([name, value]) => keyed({ name, value })),
    inputs: definition.inputs.map(({ name, title = '', cardinality, media_types = [] }) =>
      keyed({ name, title, cardinality, media_types }),
    ),
    outputs: definition.outputs.map(({ name, glob, cardinality, media_type = '' }) =>
      keyed({ name, glob, cardinality, media_type }),
    ),
    params: (rows ?? []).map(keyed),
    paramsJson: rows ? undefined : JSON.stringify(params, null, 2),
    cpu: String(resources.cpu),
    memory_mb: String(resources.memory_mb),
    disk_mb: String(resources.disk_mb),
    gpu: String(resources.gpu),
    timeout_seconds: String(definition.timeout_seconds),
    max_attempts: String(retry.max_attempts),
    retry_on: retry.on,
    hasNetwork: network === 'egress',
    isCached: cache.enabled,
    cacheVersion: cache.version,
  };
}

/** Of typed text; what is no number is sent as it is, and the service says what is wrong with it. */
const numberOf = (text: string) => {
  const value = text.trim() === '' ? Number.NaN : Number(text.replace(',', '.'));
  return Number.isFinite(value) ? value : (text as unknown as number);
};

/** The schema of the params. @returns undefined while its JSON is no object. */
export function paramsOf({ params, paramsJson }: Form): Record<string, unknown> | undefined {
  if (paramsJson === undefined) return schemaOf(params);
  try {
    const schema: unknown = JSON.parse(paramsJson);
    const isObject = typeof schema === 'object' && schema !== null && !Array.isArray(schema);
    return isObject ? (schema as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** What is sent. Rows that are still empty are not. */
export function definitionOf(form: Form): NewNodeDefinition {
  const optional = (name: 'title' | 'description' | 'category' | 'digest') => {
    const text = form[name].trim();
    return text === '' ? {} : { [name]: text };
  };
  return {
    name: form.name.trim(),
    version: form.version.trim(),
    ...optional('title'),
    ...optional('description'),
    ...optional('category'),
    image: form.image.trim(),
    ...optional('digest'),
    command: form.command.map(({ text }) => text),
    env: Object.fromEntries(form.env.map(({ name, value }) => [name.trim(), value])),
    inputs: form.inputs.map(({ name, title, cardinality, media_types }) => ({
      name: name.trim(),
      cardinality,
      ...(title.trim() !== '' && { title: title.trim() }),
      ...(media_types.length > 0 && { media_types }),
    })),
    outputs: form.outputs.map(({ name, glob, cardinality, media_type }) => ({
      name: name.trim(),
      glob: glob.trim(),
      cardinality,
      ...(media_type.trim() !== '' && { media_type: media_type.trim() }),
    })),
    params: paramsOf(form) ?? {},
    resources: {
      cpu: numberOf(form.cpu),
      memory_mb: numberOf(form.memory_mb),
      gpu: numberOf(form.gpu),
      disk_mb: numberOf(form.disk_mb),
    },
    timeout_seconds: numberOf(form.timeout_seconds),
    retry: { max_attempts: numberOf(form.max_attempts), on: form.retry_on },
    network: form.hasNetwork ? 'egress' : 'none',
    cache: { enabled: form.isCached, version: form.cacheVersion },
  };
}

export type Faults = { byField: ReadonlyMap<string, string>; others: readonly string[] };

const fields =
  /^(name|version|title|description|category|image|digest|command|timeout_seconds|env\.[^.]+|(command|inputs|outputs)\.\d+|(inputs|outputs)\.\d+\.(name|title|cardinality|media_types|glob|media_type)|resources\.(cpu|memory_mb|disk_mb|gpu)|retry\.(max_attempts|on)|cache\.version|params\.properties\.[^.]+|params)$/;

/** What the service refused, by field: `inputs.0.name`. Others concern the whole. */
export function faultsOf(error: unknown): Faults {
  const byField = new Map<string, string>();
  const others: string[] = [];
  if (!(error instanceof ApiError)) return { byField, others };
  if (error.code === 'version_exists') byField.set('version', error.detail);
  for (const { loc, msg } of error.fields) {
    const field = fieldAt(loc.slice(1).map(String));
    if (field === undefined) others.push(msg);
    else byField.set(field, [byField.get(field), msg].filter(Boolean).join(' '));
  }
  return { byField, others };
}

/** The nearest field above the place of a fault. */
function fieldAt(path: readonly string[]): string | undefined {
  for (let end = path.length; end > 0; end--) {
    const name = path.slice(0, end).join('.');
    if (fields.test(name)) return name;
  }
  return undefined;
}

/** What an image's name means, or what is wrong with it. */
export function imageWords(image: string, digest: string): { words: string; isFault: boolean } {
  const fault = (words: string) => ({ words, isFault: true });
  if (image.trim() === '') return { words: t`Such as registry.example/tools:1.2`, isFault: false };
  const parsed = parseImage(image.trim());
  if (!parsed)
    return fault(t`This is not the name of an image, such as registry.example/tools:1.2.`);
  if (digest !== '' && !/^sha256:[0-9a-f]{64}$/.test(digest)) {
    return fault(t`The digest is “sha256:” and 64 digits from 0 to f.`);
  }
  if (digest !== '' && parsed.digest !== null && parsed.digest !== digest) {
    return fault(t`The digest within the name is another one.`);
  }
  const { repository, registry, selector: tag } = parsed;
  return {
    words:
      digest !== '' || parsed.digest !== null
        ? t`${repository} at ${registry}, always exactly this image.`
        : t`${repository} at ${registry}. The tag “${tag}” may later mean another image; a digest fixes it.`,
    isFault: false,
  };
}
