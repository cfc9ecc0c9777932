/** How messages are signed, and what a run gets from them; an example shows what pointers find. */
import type { Variable } from '@cogworks/sdk/contract.gen';
import { isPointer, valueAt } from '@cogworks/sdk/json-pointers';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Code, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FolderField } from '../folders/folder-field.tsx';
import { type FieldsProps, faultOf } from './fields.ts';
import classes from './triggers.module.css';
import { type Preset, presets } from './types.tsx';

type Props = FieldsProps & { isNew: boolean };

export function WebhookFields({ form, onChange, faults, isNew }: Props) {
  return (
    <Stack gap="md">
      <Select
        label={t`Messages are signed as by`}
        data={presets}
        value={form.preset}
        onChange={(value) => onChange({ preset: value as Preset })}
        disabled={!isNew}
        allowDeselect={false}
      />
      {isNew && (
        <TextInput
          label={t`Secret of the sender`}
          description={t`Only if the sender shows one. Otherwise one is made.`}
          value={form.secret}
          onChange={(event) => onChange({ secret: event.currentTarget.value.trim() })}
          error={faultOf(faults, 'secret')}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </Stack>
  );
}

type MappingProps = FieldsProps & { variables: readonly Variable[] };

const firstExample = '{\n  "order": { "id": 17, "customer": "Acme" },\n  "files": [42]\n}';

export function MappingFields({ form, onChange, faults, variables }: MappingProps) {
  const [example, setExample] = useState(firstExample);
  const message = parsed(example);
  return (
    <Stack gap="md">
      <Text size="sm" c="var(--faint)">
        <Trans>
          A pointer such as <Code>/order/id</Code> names a value of the message. Where there is
          none, the variable keeps its own value.
        </Trans>
      </Text>
      <Textarea
        label={t`Example message`}
        description={t`Paste one of the sender: it shows what each pointer finds, and is not kept.`}
        autosize
        minRows={3}
        maxRows={9}
        spellCheck={false}
        value={example}
        onChange={(event) => setExample(event.currentTarget.value)}
        error={message === undefined ? t`This is not JSON.` : undefined}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
      />
      <div className={classes.pointers}>
        {variables.map(({ variable_name: name }) => (
          <PointerField
            key={name}
            label={name}
            value={form.pointers[name] ?? ''}
            message={message}
            fault={faultOf(faults, 'mapping', 'extra_variables', name)}
            onChange={(pointer) => onChange({ pointers: { ...form.pointers, [name]: pointer } })}
          />
        ))}
        <PointerField
          label={t`Files`}
          value={form.cogPointer}
          message={message}
          fault={faultOf(faults, 'mapping', 'cog_ids')}
          onChange={(cogPointer) => onChange({ cogPointer })}
        />
      </div>
      {(form.cogPointer !== '' || form.folder_id !== undefined) && (
        <FolderField
          label={t`Folder of those files`}
          description={t`A message may name files below it, and no others.`}
          isOptional
          error={faultOf(faults, 'folder_id')}
          value={form.folder_id}
          onChange={(folder_id) => onChange({ folder_id })}
        />
      )}
    </Stack>
  );
}

/** @returns undefined for what is not JSON. */
function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

type PointerProps = {
  label: string;
  value: string;
  message: { value: unknown } | undefined;
  fault: string | undefined;
  onChange: (pointer: string) => void;
};

function PointerField({ label, value, message, fault, onChange }: PointerProps) {
  const found = value === '' || !message ? undefined : valueAt(message.value, value);
  const isWrong = !isPointer(value);
  return (
    <div className={classes.pointer}>
      <TextInput
        label={label}
        placeholder={t`/order/id`}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value.trim())}
        error={fault ?? (isWrong ? t`A pointer begins with /.` : undefined)}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
      />
      <output
        className={classes.found}
        aria-label={t`${label} in the example`}
        data-found={found !== undefined || undefined}
      >
        {found !== undefined
          ? JSON.stringify(found)
          : value === '' || isWrong || !message
            ? ''
            : t`Not in the example`}
      </output>
    </div>
  );
}
