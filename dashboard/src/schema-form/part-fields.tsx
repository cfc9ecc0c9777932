/** Fields of values with parts: lists, members, names with values, alternatives; and raw JSON. */
import { isObject, pointerTo } from '@cogworks/graph/json';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Select, Text, Textarea, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { describedBy, FieldFrame } from './field-frame.tsx';
import { FieldMenu } from './field-menu.tsx';
import { type FieldProps, faultAt, useForm } from './form.ts';
import { alternativeOf, labelOf, limitsOf, type Member, type Schema, startOf } from './kinds.ts';
import classes from './schema-form.module.css';

function useGroup(props: FieldProps, withParts = false) {
  const id = useId();
  const { faults, isReadOnly } = useForm();
  const { label, schema, pointer, isRequired } = props;
  const frame = {
    id,
    label,
    pointer,
    isRequired,
    description: schema.description,
    limits: limitsOf(schema),
    fault: faultAt(faults, pointer, withParts),
    menu: <FieldMenu {...props} />,
  };
  return { id, frame, isReadOnly };
}

export function ListField({ items, ...props }: FieldProps & { items: Schema }) {
  const { frame, isReadOnly } = useGroup(props);
  const { Field, root } = useForm();
  const { label, value, pointer, onChange } = props;
  const rows = Array.isArray(value) ? value : [];
  const isFull = typeof props.schema.maxItems === 'number' && rows.length >= props.schema.maxItems;
  return (
    <FieldFrame {...frame} isGroup>
      <div className={classes.parts}>
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the items have no other identity
          <div key={at} className={classes.item}>
            <div className={classes.grow}>
              <Field
                label={`${labelOf('item', items)} ${at + 1}`}
                schema={items}
                value={row}
                pointer={pointerTo(pointer, at)}
                // A gap in the list would be something else than an empty item.
                onChange={(next) => onChange(rows.with(at, next ?? emptyOf(items, root)))}
              />
            </div>
            {!isReadOnly && (
              <ActionIcon
                size={28}
                aria-label={t`Remove item ${at + 1} of ${label}`}
                onClick={() => onChange(rows.toSpliced(at, 1))}
              >
                <IconX size={15} />
              </ActionIcon>
            )}
          </div>
        ))}
        {rows.length === 0 && (
          <Text size="xs" c="var(--faint)">
            {value === undefined && Array.isArray(props.schema.default)
              ? t`The default: ${JSON.stringify(props.schema.default)}`
              : t`No items.`}
          </Text>
        )}
        {!isReadOnly && !isFull && (
          <AddButton
            label={t`Add to ${label}`}
            onClick={() => onChange([...rows, startOf(items, root)])}
          />
        )}
      </div>
    </FieldFrame>
  );
}

const emptyOf = (items: Schema, root: Schema) =>
  items.type === 'string' ? '' : startOf(items, root);

const AddButton = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <Button
    variant="subtle"
    size="compact-sm"
    leftSection={<IconPlus size={15} />}
    onClick={onClick}
    className={classes.add}
  >
    {label}
  </Button>
);

export function ObjectField({ members, ...props }: FieldProps & { members: readonly Member[] }) {
  const { frame } = useGroup(props);
  const { Field } = useForm();
  const { value, pointer, onChange } = props;
  const held = isObject(value) ? value : {};
  return (
    <FieldFrame {...frame} isGroup>
      <div className={classes.parts}>
        {members.map(({ name, schema, isRequired }) => (
          <Field
            key={name}
            label={labelOf(name, schema)}
            schema={schema}
            isRequired={isRequired}
            value={Object.hasOwn(held, name) ? held[name] : undefined}
            pointer={pointerTo(pointer, name)}
            onChange={(next) => onChange(withMember(held, name, next))}
          />
        ))}
      </div>
    </FieldFrame>
  );
}

/** The object with one member set, or left out. Entries, so that no name is special. */
export function withMember(
  held: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
): Record<string, unknown> {
  const entries = Object.entries(held).filter(([other]) => other !== name || value !== undefined);
  const at = entries.findIndex(([other]) => other === name);
  if (value === undefined) return Object.fromEntries(entries);
  return Object.fromEntries(
    at === -1 ? [...entries, [name, value]] : entries.with(at, [name, value]),
  );
}

export function MapField({ values, ...props }: FieldProps & { values: Schema }) {
  const { frame, isReadOnly } = useGroup(props);
  const { Field, root } = useForm();
  const { label, value, pointer, onChange } = props;
  const held = isObject(value) ? value : {};
  const [name, setName] = useState('');
  const isTaken = Object.hasOwn(held, name);
  const add = () => {
    onChange(withMember(held, name, startOf(values, root)));
    setName('');
  };
  return (
    <FieldFrame {...frame} isGroup>
      <div className={classes.parts}>
        {Object.entries(held).map(([one, part]) => (
          <div key={one} className={classes.item}>
            <div className={classes.grow}>
              <Field
                label={one}
                schema={values}
                value={part}
                pointer={pointerTo(pointer, one)}
                onChange={(next) => onChange(withMember(held, one, next ?? emptyOf(values, root)))}
              />
            </div>
            {!isReadOnly && (
              <ActionIcon
                size={28}
                aria-label={t`Remove ${one} of ${label}`}
                onClick={() => onChange(withMember(held, one, undefined))}
              >
                <IconX size={15} />
              </ActionIcon>
            )}
          </div>
        ))}
        {!isReadOnly && (
          <div className={classes.item}>
            <TextInput
              className={classes.grow}
              size="sm"
              aria-label={t`New name in ${label}`}
              placeholder={t`New name`}
              value={name}
              error={isTaken ? t`This name is there already.` : undefined}
              onChange={(event) => setName(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && name !== '' && !isTaken) add();
              }}
            />
            <Button variant="default" size="sm" disabled={name === '' || isTaken} onClick={add}>
              <Trans>Add</Trans>
            </Button>
          </div>
        )}
      </div>
    </FieldFrame>
  );
}

type AlternativesProps = FieldProps & { options: readonly { label: string; schema: Schema }[] };

export function AlternativesField({ options, ...props }: AlternativesProps) {
  const { id, frame, isReadOnly } = useGroup(props);
  const { Field, root } = useForm();
  const { label, value, pointer, onChange } = props;
  const [chosen, setChosen] = useState<number>();
  const at = chosen ?? alternativeOf(options, value ?? props.schema.default, root);
  const option = options[at];
  return (
    <FieldFrame {...frame}>
      <Select
        id={id}
        readOnly={isReadOnly}
        aria-describedby={describedBy(id)}
        data={options.map((one, place) => ({ value: String(place), label: one.label }))}
        value={String(at)}
        allowDeselect={false}
        onChange={(next) => {
          setChosen(Number(next));
          onChange(startOf(options[Number(next)]?.schema, root));
        }}
        comboboxProps={{ withinPortal: false }}
      />
      {option && option.schema.type !== 'null' && (
        <div className={classes.alternative}>
          <Field
            key={at}
            label={`${label}: ${option.label}`}
            schema={option.schema}
            value={value}
            pointer={pointer}
            onChange={onChange}
          />
        </div>
      )}
    </FieldFrame>
  );
}

/** Any value as JSON text; kept as it was until the text is JSON again. */
export function JsonField(props: FieldProps) {
  const { id, frame, isReadOnly } = useGroup(props, true);
  const { value, schema, onChange } = props;
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? (value === undefined ? '' : JSON.stringify(value, null, 2));
  const problem = typed === undefined ? undefined : jsonFault(typed);
  const fault = problem ?? frame.fault;
  return (
    <FieldFrame {...frame} limits={frame.limits || t`Written as JSON`} fault={fault}>
      <Textarea
        id={id}
        autosize
        minRows={2}
        maxRows={14}
        readOnly={isReadOnly}
        spellCheck={false}
        aria-describedby={describedBy(id)}
        error={fault !== undefined}
        value={shown}
        placeholder={schema.default === undefined ? '' : JSON.stringify(schema.default)}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
        onChange={({ currentTarget: { value: text } }) => {
          setTyped(text);
          if (text.trim() === '') onChange(undefined);
          else if (jsonFault(text) === undefined) onChange(JSON.parse(text));
        }}
        onBlur={() => problem === undefined && setTyped(undefined)}
      />
    </FieldFrame>
  );
}

function jsonFault(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return t`This is not JSON yet. Texts stand in double quotes, lists in [ ], members in '{ }'.`;
  }
}
