/** Fields of single values: text, numbers, switches, choices, secrets. */
import { isSecret } from '@cogworks/graph/params';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Checkbox, Group, Select, Switch, Text, TextInput } from '@mantine/core';
import { type KeyboardEvent, useId, useState } from 'react';
import { CompletionInput } from '../ui/completion-input.tsx';
import { looksLikeKey, sampleOf, suggestVariables } from './bindings.ts';
import { describedBy, FieldFrame } from './field-frame.tsx';
import { FieldMenu } from './field-menu.tsx';
import { type FieldProps, faultAt, useForm } from './form.ts';
import { type Choice, limitsOf, wordsFor } from './kinds.ts';
import classes from './schema-form.module.css';

/** What most fields give to their frame. */
function useFrame(props: FieldProps) {
  const id = useId();
  const { faults, isReadOnly } = useForm();
  const { label, schema, pointer, isRequired } = props;
  const fault = faultAt(faults, pointer);
  const frame = {
    id,
    label,
    pointer,
    isRequired,
    description: schema.description,
    limits: limitsOf(schema),
    fault,
    menu: <FieldMenu {...props} />,
  };
  const input = {
    id,
    'aria-describedby': describedBy(id),
    error: fault !== undefined,
    readOnly: isReadOnly,
  };
  return { frame, input, isReadOnly };
}

/** What is used while the field is empty. */
const placeholderOf = ({ default: value, examples }: FieldProps['schema']): string => {
  if (value !== undefined) return wordsFor(value);
  return Array.isArray(examples) && examples.length > 0
    ? t`For example ${wordsFor(examples[0])}`
    : '';
};

export function TextField({ isLong, ...props }: FieldProps & { isLong: boolean }) {
  const { frame, input } = useFrame(props);
  const { binding } = useForm();
  const { schema, value, onChange } = props;
  const text = typeof value === 'string' ? value : '';
  const sample = binding && sampleOf(text, binding.variables);
  return (
    <FieldFrame
      {...frame}
      result={
        sample !== undefined ? (
          <Sample text={sample} />
        ) : looksLikeKey(text) ? (
          t`This looks like a password or a key. Everybody who sees the workflow can read it here; ask for a step that takes a secret.`
        ) : undefined
      }
    >
      <CompletionInput
        {...input}
        isLong={isLong}
        value={text}
        placeholder={
          value === '' ? t`Empty text` : value === null ? t`Nothing (null)` : placeholderOf(schema)
        }
        suggest={(before) => (binding ? suggestVariables(binding.variables, before) : null)}
        onChange={(next) => onChange(next === '' ? undefined : next)}
      />
    </FieldFrame>
  );
}

const Sample = ({ text }: { text: string }) => (
  <Trans>
    With the defaults: <span className={classes.sample}>{text || t`empty text`}</span>
  </Trans>
);

export function NumberField({ isWhole, ...props }: FieldProps & { isWhole: boolean }) {
  const { frame, input, isReadOnly } = useFrame(props);
  const { schema, value, onChange } = props;
  // What is typed, while it is not (yet) a number.
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? (typeof value === 'number' ? String(value) : '');
  const type = (text: string) => {
    const next = numberIn(text);
    setTyped(next === null || String(next) !== text ? text : undefined);
    if (next !== null) onChange(next);
  };
  const step = (event: KeyboardEvent, direction: 1 | -1) => {
    event.preventDefault();
    const size = typeof schema.multipleOf === 'number' ? schema.multipleOf : 1;
    const start = typeof value === 'number' ? value : Number(schema.default ?? 0);
    const next = within(Number((start + direction * size).toPrecision(12)), schema);
    setTyped(undefined);
    onChange(next);
  };
  const isNone = typed !== undefined && numberIn(typed) === null;
  const noNumber = isWhole ? t`This is not a whole number.` : t`This is not a number.`;
  const fault = isNone ? noNumber : frame.fault;
  return (
    <FieldFrame {...frame} fault={fault}>
      <TextInput
        {...input}
        error={fault !== undefined}
        inputMode={isWhole ? 'numeric' : 'decimal'}
        value={shown}
        placeholder={value === null ? t`Nothing (null)` : placeholderOf(schema)}
        onChange={(event) => type(event.currentTarget.value)}
        onBlur={() => !isNone && setTyped(undefined)}
        onKeyDown={(event) => {
          if (isReadOnly) return;
          if (event.key === 'ArrowUp') step(event, 1);
          if (event.key === 'ArrowDown') step(event, -1);
        }}
      />
    </FieldFrame>
  );
}

/** The number; undefined for an empty field, null for what is none. */
export function numberIn(text: string): number | undefined | null {
  const plain = text.trim();
  if (plain === '') return undefined;
  const value = Number(plain.replace(',', '.'));
  return Number.isFinite(value) ? value : null;
}

function within(value: number, { minimum, maximum }: FieldProps['schema']): number {
  const least = typeof minimum === 'number' ? Math.max(minimum, value) : value;
  return typeof maximum === 'number' ? Math.min(maximum, least) : least;
}

export function SwitchField(props: FieldProps) {
  const { frame, input, isReadOnly } = useFrame(props);
  const { schema, value, onChange } = props;
  const { readOnly: _, ...rest } = input;
  const isOn = value === undefined ? schema.default === true : value === true;
  const note =
    value === undefined ? (schema.default === undefined ? t`Not set` : t`The default`) : undefined;
  return (
    <FieldFrame {...frame}>
      <Group gap="xs">
        <Switch
          {...rest}
          disabled={isReadOnly}
          checked={isOn}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <Text size="xs" c="var(--faint)" aria-hidden>
          {[isOn ? t`On` : t`Off`, note].filter(Boolean).join(' · ')}
        </Text>
      </Group>
    </FieldFrame>
  );
}

export function ChoiceField({ choices, ...props }: FieldProps & { choices: readonly Choice[] }) {
  const { frame, input, isReadOnly } = useFrame(props);
  const { schema, value, onChange } = props;
  const at = placeOf(choices, value);
  const known = choices.map(({ label }, place) => ({ value: String(place), label }));
  const isOdd = value !== undefined && at === -1;
  const data = isOdd
    ? [...known, { value: 'odd', label: t`${wordsFor(value)} (not offered)` }]
    : known;
  return (
    <FieldFrame {...frame}>
      <Select
        {...input}
        readOnly={isReadOnly}
        data={data}
        value={isOdd ? 'odd' : at === -1 ? null : String(at)}
        placeholder={placeholderOf(schema) || t`Choose`}
        onChange={(chosen) => {
          if (chosen !== 'odd')
            onChange(chosen === null ? undefined : choices[Number(chosen)]?.value);
        }}
        clearable={!isReadOnly && value !== undefined}
        comboboxProps={{ withinPortal: false }}
      />
    </FieldFrame>
  );
}

const placeOf = (choices: readonly Choice[], value: unknown) =>
  choices.findIndex((choice) => JSON.stringify(choice.value) === JSON.stringify(value));

export function SeveralField({ choices, ...props }: FieldProps & { choices: readonly Choice[] }) {
  const { frame, isReadOnly } = useFrame(props);
  const chosen = Array.isArray(props.value) ? props.value : [];
  const isChosen = (one: Choice) =>
    placeOf([one], one.value) === 0 &&
    chosen.some((value) => JSON.stringify(value) === JSON.stringify(one.value));
  return (
    <FieldFrame {...frame} isGroup>
      <div className={classes.ticks}>
        {choices.map((one) => (
          <Checkbox
            key={one.label}
            size="sm"
            label={one.label}
            disabled={isReadOnly}
            checked={isChosen(one)}
            onChange={({ currentTarget: { checked } }) =>
              props.onChange(
                choices
                  .filter((other) => (other === one ? checked : isChosen(other)))
                  .map(({ value }) => value),
              )
            }
          />
        ))}
      </div>
    </FieldFrame>
  );
}

export function SecretField(props: FieldProps) {
  const { frame, input, isReadOnly } = useFrame(props);
  const { secrets } = useForm();
  const { value, onChange, schema } = props;
  const name = isSecret(value) ? value.$secret : null;
  const give = (chosen: string | null) => onChange(chosen ? { $secret: chosen } : undefined);
  const description = [
    schema.description,
    t`The step gets the value of this secret; the workflow holds only its name.`,
  ]
    .filter((words) => typeof words === 'string' && words !== '')
    .join(' ');
  if (!secrets) {
    return (
      <FieldFrame {...frame} description={description} limits="">
        <TextInput
          {...input}
          value={name ?? ''}
          placeholder={t`Name of a secret`}
          onChange={(event) => give(event.currentTarget.value)}
        />
      </FieldFrame>
    );
  }
  const known = secrets.map((one) => ({ value: one, label: one }));
  const isGone = name !== null && !secrets.includes(name);
  return (
    <FieldFrame
      {...frame}
      description={description}
      limits=""
      fault={frame.fault ?? (isGone ? t`There is no secret "${name}".` : undefined)}
    >
      <Select
        {...input}
        readOnly={isReadOnly}
        searchable
        data={isGone ? [...known, { value: name, label: t`${name} (not there)` }] : known}
        value={name}
        placeholder={secrets.length === 0 ? t`No secrets yet` : t`Choose a secret`}
        nothingFoundMessage={t`There is no such secret`}
        onChange={give}
        comboboxProps={{ withinPortal: false }}
      />
    </FieldFrame>
  );
}
