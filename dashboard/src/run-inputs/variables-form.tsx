/** One field per variable of the version, with its type, its default and the service's error. */
import type { Variable } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Checkbox, Select, Stack, Text, TextInput } from '@mantine/core';
import type { FieldValue, FieldValues } from './variables.ts';

type Props = {
  variables: readonly Variable[];
  values: FieldValues;
  faults: Readonly<Record<string, string>>;
  onChange: (name: string, value: FieldValue) => void;
};

export function VariablesForm({ variables, values, faults, onChange }: Props) {
  if (variables.length === 0) {
    return (
      <Text size="sm" c="var(--faint)">
        <Trans>This version takes no variables.</Trans>
      </Text>
    );
  }
  return (
    <Stack gap="md" maw={440}>
      {variables.map((variable) => (
        <VariableField
          key={variable.variable_name}
          variable={variable}
          value={values[variable.variable_name] ?? ''}
          fault={faults[variable.variable_name]}
          onChange={(value) => onChange(variable.variable_name, value)}
        />
      ))}
    </Stack>
  );
}

type FieldProps = {
  variable: Variable;
  value: FieldValue;
  fault: string | undefined;
  onChange: (value: FieldValue) => void;
};

function VariableField({ variable, value, fault, onChange }: FieldProps) {
  const { variable_name, type, required, description } = variable;
  const common = {
    label: variable_name,
    error: fault,
    required,
    ...(description ? { description } : {}),
  };
  if (type === 'boolean') {
    return (
      <Checkbox
        {...common}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  }
  if (variable.enum) {
    return (
      <Select
        {...common}
        data={variable.enum.map(String)}
        value={value === '' ? null : String(value)}
        onChange={(chosen) => onChange(chosen ?? '')}
        clearable={!required}
      />
    );
  }
  return (
    <TextInput
      {...common}
      value={String(value)}
      inputMode={type === 'integer' ? 'numeric' : type === 'number' ? 'decimal' : 'text'}
      placeholder={hintOf(variable)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function hintOf({ type, minimum, maximum }: Variable) {
  const kind = type === 'integer' ? t`Whole number` : type === 'number' ? t`Number` : t`Text`;
  if (minimum !== undefined && maximum !== undefined)
    return type === 'integer'
      ? t`Whole number from ${minimum} to ${maximum}`
      : t`Number from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return t`${kind}, at least ${minimum}`;
  return maximum === undefined ? kind : t`${kind}, at most ${maximum}`;
}
