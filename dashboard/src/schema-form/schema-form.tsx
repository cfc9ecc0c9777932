/**
 * A form for a value that a JSON Schema describes: one field per member, with limits, defaults, and
 * what is wrong beside each. It checks nothing itself: `faults` come from graph/, by pointer.
 */
import { isObject, own, pointerTo } from '@cogworks/graph/json';
import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { useMemo } from 'react';
import { boundTo } from './bindings.ts';
import { BoundField } from './bound-field.tsx';
import { type Binding, type FieldProps, type Form, FormContext, useForm } from './form.ts';
import { kindOf, labelOf, membersOf, resolved, type Schema } from './kinds.ts';
import { AlternativesField, JsonField, ListField, MapField, ObjectField } from './part-fields.tsx';
import {
  ChoiceField,
  NumberField,
  SecretField,
  SeveralField,
  SwitchField,
  TextField,
} from './plain-fields.tsx';

type Props = {
  /** Of an object; its properties are the fields. */
  schema: Schema;
  value: Readonly<Record<string, unknown>>;
  /** `undefined` leaves the member out. */
  onChange: (name: string, value: unknown) => void;
  faults?: ReadonlyMap<string, string>;
  /** Names for members marked `x-secret`; undefined if they may not be listed. */
  secrets?: readonly string[] | undefined;
  /** Lets fields refer to variables of a workflow. */
  binding?: Binding | undefined;
  isReadOnly?: boolean;
  /** Precedes all pointers of the fields. */
  pointer?: string;
};

const none: ReadonlyMap<string, string> = new Map();

export function SchemaForm(props: Props) {
  const { schema, value, onChange, secrets, binding, pointer = '' } = props;
  const { faults = none, isReadOnly = false } = props;
  const form = useMemo<Form>(
    () => ({ root: schema, faults, secrets, binding, isReadOnly, Field: SchemaField }),
    [schema, faults, secrets, binding, isReadOnly],
  );
  const members = useMemo(() => simpleFirst(schema), [schema]);
  const declared = new Set(members.map(({ name }) => name));
  const others = Object.keys(value).filter((name) => !declared.has(name));
  return (
    <FormContext.Provider value={form}>
      <Stack gap="md">
        {members.map(({ name, schema: part, isRequired }) => (
          <SchemaField
            key={name}
            label={labelOf(name, resolved(part, schema))}
            schema={part}
            isRequired={isRequired}
            value={own(value, name)}
            pointer={pointerTo(pointer, name)}
            onChange={(next) => onChange(name, next)}
          />
        ))}
        {others.map((name) => (
          <SchemaField
            key={name}
            label={name}
            schema={otherSchema(schema)}
            value={own(value, name)}
            pointer={pointerTo(pointer, name)}
            onChange={(next) => onChange(name, next)}
          />
        ))}
      </Stack>
    </FormContext.Provider>
  );
}

/** Raw JSON is for few people, and comes last. */
function simpleFirst(schema: Schema) {
  const isRaw = (part: Schema) => kindOf(part, schema).kind === 'json';
  return membersOf(schema).toSorted((a, b) => Number(isRaw(a.schema)) - Number(isRaw(b.schema)));
}

/** Of a member that is not declared. */
const otherSchema = ({ additionalProperties: others }: Schema): Schema =>
  isObject(others) ? others : { description: t`The definition declares nothing of this name.` };

/** The field of any schema. */
export function SchemaField(props: FieldProps) {
  const { root } = useForm();
  const schema = resolved(props.schema, root);
  const { value, pointer } = props;
  const field = { ...props, schema };
  const kind = kindOf(schema, root);
  const bound = boundTo(value);
  if (bound !== undefined && kind.kind !== 'text' && kind.kind !== 'secret') {
    return <BoundField {...field} name={bound} />;
  }
  // A value of another kind, be it a fault or an expression, can be seen and mended as JSON.
  if (!isShownBy(kind.kind, value)) return <JsonField {...field} key={pointer} />;
  switch (kind.kind) {
    case 'secret':
      return <SecretField {...field} />;
    case 'boolean':
      return <SwitchField {...field} />;
    case 'text':
      return <TextField {...field} isLong={kind.isLong} />;
    case 'number':
      return <NumberField {...field} isWhole={kind.isWhole} />;
    case 'choice':
      return <ChoiceField {...field} choices={kind.choices} />;
    case 'several':
      return <SeveralField {...field} choices={kind.choices} />;
    case 'list':
      return <ListField {...field} items={kind.items} />;
    case 'object':
      return <ObjectField {...field} members={kind.members} />;
    case 'map':
      return <MapField {...field} values={kind.values} />;
    case 'alternatives':
      return <AlternativesField {...field} options={kind.options} />;
    case 'json':
      return <JsonField {...field} />;
  }
}

const shownTypes: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  several: Array.isArray,
  list: Array.isArray,
  object: isObject,
  map: isObject,
};

function isShownBy(kind: string, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return shownTypes[kind]?.(value) ?? true;
}
