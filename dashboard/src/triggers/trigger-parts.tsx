/** The parts of a trigger's dialog that are folded away at first: they have usual values. */
import type { Variable } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Accordion, Text } from '@mantine/core';
import { ChosenFiles } from '../run-inputs/chosen-files.tsx';
import type { FieldValues } from '../run-inputs/variables.ts';
import { VariablesForm } from '../run-inputs/variables-form.tsx';
import type { FieldsProps } from './fields.ts';
import { FolderDetails } from './folder-fields.tsx';
import { ScheduleDetails } from './schedule-fields.tsx';
import type { TriggerType } from './trigger-form.ts';
import { MappingFields } from './webhook-fields.tsx';

type Props = FieldsProps & {
  type: TriggerType;
  /** Undefined while no version is chosen, or they are loaded. */
  variables: readonly Variable[] | undefined;
  values: FieldValues;
};

export function TriggerParts({ type, variables, values, ...parts }: Props) {
  const { form, onChange } = parts;
  const [files, message] = [form.cog_ids.length, mappedCount(form)];
  return (
    <Accordion multiple variant="contained" order={3} defaultValue={files ? ['files'] : []}>
      <Part value="files" title={type === 'folder' ? t`More files` : t`Files`} hint={hintOf(files)}>
        {type === 'folder' && (
          <Text size="sm" c="var(--faint)" mb="sm">
            <Trans>Each run gets these besides the new files.</Trans>
          </Text>
        )}
        <ChosenFiles ids={form.cog_ids} onChange={(cog_ids) => onChange({ cog_ids })} />
      </Part>
      {variables && variables.length > 0 && (
        <Part
          value="variables"
          title={t`Variables`}
          hint={plural(variables.length, { one: '# variable', other: '# variables' })}
        >
          <VariablesForm
            variables={variables}
            values={values}
            faults={{}}
            onChange={(name, value) => onChange({ values: { ...form.values, [name]: value } })}
          />
        </Part>
      )}
      {type === 'webhook' && (
        <Part
          value="message"
          title={t`From the message`}
          hint={
            message > 0 ? plural(message, { one: '# pointer', other: '# pointers' }) : t`Nothing`
          }
        >
          <MappingFields {...parts} variables={variables ?? []} />
        </Part>
      )}
      {type === 'schedule' && (
        <Part value="more" title={t`More`}>
          <ScheduleDetails {...parts} />
        </Part>
      )}
      {type === 'folder' && (
        <Part value="more" title={t`More`}>
          <FolderDetails {...parts} />
        </Part>
      )}
    </Accordion>
  );
}

const hintOf = (files: number) =>
  files > 0 ? plural(files, { one: '# item', other: '# items' }) : t`None`;

const mappedCount = ({ pointers, cogPointer }: FieldsProps['form']) =>
  [...Object.values(pointers), cogPointer].filter((pointer) => pointer !== '').length;

type PartProps = { value: string; title: string; hint?: string; children: React.ReactNode };

const Part = ({ value, title, hint, children }: PartProps) => (
  <Accordion.Item value={value}>
    <Accordion.Control>
      <Text span size="sm" fw={550}>
        {title}
      </Text>
      {hint !== undefined && (
        <Text span size="sm" c="var(--faint)" ml={8}>
          {hint}
        </Text>
      )}
    </Accordion.Control>
    <Accordion.Panel>{children}</Accordion.Panel>
  </Accordion.Item>
);
