/** The fields of a trigger's dialog, and what is sent of them. Pure. */
import type { NewTrigger, Trigger, Variable } from '@cogworks/sdk/contract.gen';
import { defaultsOf, type FieldValues, valuesOf } from '../run-inputs/variables.ts';

export type TriggerType = Trigger['type'];

/** What a new trigger begins with. */
export type TriggerStart = Partial<Trigger> & { type: TriggerType };

export type TriggerForm = {
  name: string;
  workflow_id: number | undefined;
  /** Undefined: the published one. */
  workflow_version_id: number | undefined;
  cog_ids: readonly number[];
  /** Of variables that were changed in the form. */
  values: FieldValues;
  cron: string;
  timezone: string;
  overlap: NonNullable<Trigger['overlap']>;
  catch_up: NonNullable<Trigger['catch_up']>;
  dst: NonNullable<Trigger['dst']>;
  preset: NonNullable<Trigger['preset']>;
  secret: string;
  pointers: Readonly<Record<string, string>>;
  /** Where in a message the ids of files are. */
  cogPointer: string;
  folder_id: number | undefined;
  recursive: boolean;
  media_types: readonly string[];
  debounce_seconds: number;
};

export function formOf(trigger: TriggerStart, timezone: string): TriggerForm {
  return {
    name: trigger.name ?? '',
    workflow_id: trigger.workflow_id,
    workflow_version_id: trigger.workflow_version_id,
    cog_ids: trigger.cog_ids ?? [],
    values: {},
    cron: trigger.cron ?? '0 7 * * *',
    timezone: trigger.timezone ?? timezone,
    overlap: trigger.overlap ?? 'skip',
    catch_up: trigger.catch_up ?? 'latest',
    dst: trigger.dst ?? { gap: 'shift', overlap: 'first' },
    preset: trigger.preset ?? 'standard',
    secret: '',
    pointers: trigger.mapping?.extra_variables ?? {},
    cogPointer: trigger.mapping?.cog_ids ?? '',
    folder_id: trigger.folder_id,
    recursive: trigger.recursive ?? true,
    media_types: trigger.media_types ?? [],
    debounce_seconds: trigger.debounce_seconds ?? 10,
  };
}

/** The values of the form: what was typed, else the trigger's, else the defaults. */
export function shownValues(
  variables: readonly Variable[],
  stored: Readonly<Record<string, unknown>>,
  typed: FieldValues,
): FieldValues {
  const own = variables.flatMap(({ variable_name: name, type }) =>
    name in stored
      ? [[name, type === 'boolean' ? stored[name] === true : String(stored[name])] as const]
      : [],
  );
  return { ...defaultsOf(variables), ...Object.fromEntries(own), ...typed };
}

/** What differs from the defaults: those of a later version then apply to the rest. */
export function ownValues(variables: readonly Variable[], fields: FieldValues) {
  const values = valuesOf(variables, fields);
  const same = variables.filter((one) => values[one.variable_name] === one.default);
  for (const { variable_name } of same) delete values[variable_name];
  return values;
}

/** Required variables that would have no value when a run starts. */
export function missingValues(
  variables: readonly Variable[],
  fields: FieldValues,
  pointers: TriggerForm['pointers'],
): string[] {
  return variables
    .filter(({ required, type }) => required && type !== 'boolean')
    .map(({ variable_name }) => variable_name)
    .filter((name) => (fields[name] ?? '') === '' && !pointers[name]);
}

type Fields = Omit<NewTrigger, 'type' | 'workflow_version_id'>;

/** What its type has. */
export function typeFields(type: TriggerType, form: TriggerForm): Partial<Fields> {
  const { cron, timezone, overlap, catch_up, dst, folder_id } = form;
  if (type === 'schedule') return { cron: cron.trim(), timezone, overlap, catch_up, dst };
  if (type === 'webhook') return { mapping: mappingOf(form), ...(folder_id && { folder_id }) };
  const { recursive, media_types, debounce_seconds } = form;
  const media = { media_types: [...media_types] };
  return { ...(folder_id && { folder_id }), recursive, ...media, debounce_seconds };
}

function mappingOf({ pointers, cogPointer }: TriggerForm): NonNullable<NewTrigger['mapping']> {
  const given = Object.entries(pointers).filter(([, pointer]) => pointer !== '');
  return {
    ...(given.length > 0 && { extra_variables: Object.fromEntries(given) }),
    ...(cogPointer !== '' && { cog_ids: cogPointer }),
  };
}

/** Pointers of variables that the workflow has not, or no more, would only be refused later. */
export const pointersOf = (form: TriggerForm, variables: readonly Variable[]): TriggerForm => ({
  ...form,
  pointers: Object.fromEntries(
    variables.flatMap(({ variable_name: name }) => {
      const pointer = form.pointers[name];
      return pointer ? [[name, pointer]] : [];
    }),
  ),
});
