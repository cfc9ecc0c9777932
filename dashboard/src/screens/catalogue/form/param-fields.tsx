/** The params of a definition: rows, or a JSON Schema where rows cannot tell it. */
import { schemaFaults } from '@cogworks/graph/schema-shape';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Checkbox, SegmentedControl, Select, Text, Textarea, TextInput } from '@mantine/core';
import { type ParamRow, paramTypes, rowsOf, schemaOf, typeWords } from '../params-model.ts';
import { keyed, newParam, paramsOf } from './definition-form.ts';
import type { Editing } from './editing.ts';
import classes from './form.module.css';
import { RowList } from './row-list.tsx';

export function ParamFields(editing: Editing) {
  const { form, change } = editing;
  const schema = paramsOf(form);
  const rows = schema && rowsOf(schema);
  const isJson = form.paramsJson !== undefined;
  const show = (view: string) => {
    if (view === 'json') change({ paramsJson: JSON.stringify(schemaOf(form.params), null, 2) });
    else if (rows) change({ params: rows.map(keyed), paramsJson: undefined });
  };
  return (
    <>
      <SegmentedControl
        size="xs"
        mb="sm"
        aria-label={t`How settings are edited`}
        data={[
          { value: 'rows', label: t`Fields`, disabled: isJson && rows === undefined },
          { value: 'json', label: t`JSON Schema` },
        ]}
        value={isJson ? 'json' : 'rows'}
        onChange={show}
      />
      {isJson ? <SchemaText {...editing} /> : <ParamRows {...editing} />}
    </>
  );
}

const faultWords = ({ pointer, message }: { pointer: string; message: string }) =>
  pointer === '' ? t`The schema ${message}.` : `${pointer} ${message}.`;

function SchemaText({ form: { paramsJson = '', ...form }, change, fault }: Editing) {
  const schema = paramsOf({ ...form, paramsJson });
  const [first] = schema ? schemaFaults(schema) : [];
  const wrong = !schema ? t`This is not a JSON object yet.` : first && faultWords(first);
  return (
    <>
      <Textarea
        aria-label={t`JSON Schema of the settings`}
        classNames={{ input: classes.code ?? '' }}
        autosize
        minRows={6}
        maxRows={24}
        spellCheck={false}
        value={paramsJson}
        error={wrong ?? fault('params')}
        onChange={(event) => change({ paramsJson: event.currentTarget.value })}
      />
      {schema && !rowsOf(schema) && (
        <Text size="xs" c="var(--faint)" mt={6}>
          <Trans>This says more than fields can show.</Trans>
        </Text>
      )}
    </>
  );
}

const ParamRows = ({ form, change, fault }: Editing) => (
  <RowList<ParamRow>
    rows={form.params}
    words={{ add: t`Add a setting`, remove: (number) => t`Remove setting ${number}` }}
    none={t`It has no settings.`}
    onChange={(params) => change({ params })}
    onNew={newParam}
  >
    {(row, index, changeRow) => {
      const names = form.params.map(({ name }) => name);
      const isTwice = row.name !== '' && names.indexOf(row.name) < index;
      return (
        <>
          <TextInput
            label={t`Name`}
            classNames={{ input: classes.code ?? '' }}
            spellCheck={false}
            value={row.name}
            error={
              isTwice
                ? t`There is a setting with this name already.`
                : fault(`params.properties.${row.name}`)
            }
            onChange={(event) => changeRow({ name: event.currentTarget.value })}
          />
          <Select
            label={t`Type`}
            data={paramTypes.map((type) => ({ value: type, label: typeWords[type] }))}
            allowDeselect={false}
            value={row.type}
            onChange={(value) =>
              changeRow({ type: value as ParamRow['type'], default: '', minimum: '', maximum: '' })
            }
          />
          <ValueFields row={row} changeRow={changeRow} />
          <TextInput
            className={classes.wide}
            label={t`Description`}
            value={row.description}
            onChange={(event) => changeRow({ description: event.currentTarget.value })}
          />
          <Checkbox
            className={classes.wide}
            label={t`Must be given`}
            checked={row.isRequired}
            onChange={(event) => changeRow({ isRequired: event.currentTarget.checked })}
          />
        </>
      );
    }}
  </RowList>
);

type ValueProps = { row: ParamRow; changeRow: (changes: Partial<ParamRow>) => void };

function ValueFields({ row, changeRow }: ValueProps) {
  const { type } = row;
  const field = (name: 'default' | 'minimum' | 'maximum', label: string) => (
    <TextInput
      label={label}
      {...(type !== 'string' && { inputMode: 'decimal' as const })}
      value={row[name]}
      onChange={(event) => changeRow({ [name]: event.currentTarget.value })}
    />
  );
  switch (type) {
    case 'secret':
      return (
        <Text size="xs" c="var(--faint)" className={classes.wide}>
          <Trans>
            The workflow names a secret for it. The program gets its value in the environment and in
            params.json, never in the command.
          </Trans>
        </Text>
      );
    case 'boolean':
      return (
        <Select
          label={t`Default`}
          placeholder={t`None`}
          clearable
          data={[
            { value: 'true', label: t`Yes` },
            { value: 'false', label: t`No` },
          ]}
          value={row.default === '' ? null : row.default}
          onChange={(value) => changeRow({ default: value ?? '' })}
        />
      );
    case 'choice':
      return (
        <>
          <Textarea
            label={t`Choices, one a line`}
            autosize
            minRows={2}
            maxRows={10}
            value={row.choices}
            onChange={(event) => changeRow({ choices: event.currentTarget.value })}
          />
          {field('default', t`Default`)}
        </>
      );
    case 'integer':
    case 'number':
      return (
        <>
          {field('minimum', t`At least`)}
          {field('maximum', t`At most`)}
          {field('default', t`Default`)}
        </>
      );
    default:
      return field('default', t`Default`);
  }
}
