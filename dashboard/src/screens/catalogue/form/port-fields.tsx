/** The inputs and outputs of a definition. */
import { t } from '@lingui/core/macro';
import { Autocomplete, Select, TagsInput, TextInput } from '@mantine/core';
import { usualTypes } from '../../../media-types.ts';
import {
  emptyInput,
  emptyOutput,
  type InputRow,
  keyed,
  type OutputRow,
} from './definition-form.ts';
import type { Editing } from './editing.ts';
import classes from './form.module.css';
import { RowList } from './row-list.tsx';

const amounts = [
  { value: 'one', label: t`One file` },
  { value: 'many', label: t`Any number` },
  { value: 'optional', label: t`One or none` },
];

export function InputFields({ form, change, fault }: Editing) {
  return (
    <RowList<InputRow>
      rows={form.inputs}
      words={{ add: t`Add an input`, remove: (number) => t`Remove input ${number}` }}
      none={t`It takes no files.`}
      onChange={(inputs) => change({ inputs })}
      onNew={() => keyed(emptyInput)}
    >
      {(row, index, changeRow) => (
        <>
          <NameAndAmount row={row} fault={fault(`inputs.${index}.name`)} onChange={changeRow} />
          <TagsInput
            className={classes.wide}
            label={t`Types`}
            placeholder={row.media_types.length === 0 ? t`Any; or application/pdf, image/*` : ''}
            data={[...usualTypes]}
            value={row.media_types}
            error={fault(`inputs.${index}.media_types`)}
            comboboxProps={{ withinPortal: false }}
            acceptValueOnBlur
            onChange={(media_types) => changeRow({ media_types })}
          />
        </>
      )}
    </RowList>
  );
}

export function OutputFields({ form, change, fault }: Editing) {
  return (
    <RowList<OutputRow>
      rows={form.outputs}
      words={{ add: t`Add an output`, remove: (number) => t`Remove output ${number}` }}
      none={t`Nothing of what it writes is kept.`}
      onChange={(outputs) => change({ outputs })}
      onNew={() => keyed(emptyOutput)}
    >
      {(row, index, changeRow) => (
        <>
          <NameAndAmount row={row} fault={fault(`outputs.${index}.name`)} onChange={changeRow} />
          <TextInput
            label={t`Files below /data/outputs`}
            placeholder="*.txt"
            classNames={{ input: classes.code ?? '' }}
            spellCheck={false}
            value={row.glob}
            error={fault(`outputs.${index}.glob`)}
            onChange={(event) => changeRow({ glob: event.currentTarget.value })}
          />
          <Autocomplete
            label={t`Type`}
            placeholder={t`By its name`}
            data={usualTypes.filter((type) => !type.endsWith('*'))}
            value={row.media_type}
            error={fault(`outputs.${index}.media_type`)}
            comboboxProps={{ withinPortal: false }}
            onChange={(media_type) => changeRow({ media_type })}
          />
        </>
      )}
    </RowList>
  );
}

type Common = Pick<InputRow & OutputRow, 'name' | 'cardinality'>;
type NameProps = {
  row: Common;
  fault: string | undefined;
  onChange: (changes: Partial<Common>) => void;
};

/** What inputs and outputs have alike. */
const NameAndAmount = ({ row, fault, onChange }: NameProps) => (
  <>
    <TextInput
      label={t`Name`}
      classNames={{ input: classes.code ?? '' }}
      spellCheck={false}
      value={row.name}
      error={fault}
      onChange={(event) => onChange({ name: event.currentTarget.value })}
    />
    <Select
      label={t`How many`}
      data={amounts}
      allowDeselect={false}
      value={row.cardinality}
      onChange={(value) => onChange({ cardinality: value as Common['cardinality'] })}
    />
  </>
);
