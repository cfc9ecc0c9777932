/** Which new files start a run. */
import { t } from '@lingui/core/macro';
import { Checkbox, NumberInput, Stack, TagsInput } from '@mantine/core';
import { FolderField } from '../folders/folder-field.tsx';
import { type FieldsProps, faultOf } from './fields.ts';

export const FolderFields = ({ form, onChange, faults }: FieldsProps) => (
  <Stack gap="md">
    <FolderField
      label={t`Folder`}
      description={t`What comes into it starts a run: uploads, copies, new versions.`}
      error={faultOf(faults, 'folder_id')}
      value={form.folder_id}
      onChange={(folder_id) => onChange({ folder_id })}
    />
    <Checkbox
      label={t`Also in the folders below`}
      checked={form.recursive}
      onChange={(event) => onChange({ recursive: event.currentTarget.checked })}
    />
  </Stack>
);

const usualTypes = ['image/*', 'application/pdf', 'text/plain', 'text/csv', 'audio/*', 'video/*'];

export const FolderDetails = ({ form, onChange, faults }: FieldsProps) => (
  <Stack gap="md">
    <TagsInput
      label={t`Media types`}
      description={t`Of files that count; all of them if there is none.`}
      placeholder={form.media_types.length > 0 ? '' : usualTypes[0]}
      data={usualTypes}
      comboboxProps={{ withinPortal: false }}
      value={[...form.media_types]}
      onChange={(media_types) => onChange({ media_types })}
      error={faultOf(faults, 'media_types')}
    />
    <NumberInput
      label={t`Waiting time`}
      description={t`A run starts when no file has come for so long, over all that came.`}
      suffix={` ${t`seconds`}`}
      min={0}
      max={3600}
      allowDecimal={false}
      allowNegative={false}
      value={form.debounce_seconds}
      onChange={(value) => onChange({ debounce_seconds: Number(value) })}
      error={faultOf(faults, 'debounce_seconds')}
    />
  </Stack>
);
