/** A field of a form whose value is a folder. */
import { t } from '@lingui/core/macro';
import { ActionIcon, Button, Group, Input, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { api } from '../api.ts';
import { nameOfFolder } from '../cogs.ts';
import { FileIcon } from '../ui/file-icon.tsx';
import { FolderPicker } from './folder-picker.tsx';

type Props = {
  label: string;
  description?: string;
  error?: ReactNode;
  value: number | undefined;
  /** With undefined only if it may be left empty. */
  onChange: (id: number | undefined) => void;
  isOptional?: boolean;
};

export function FolderField(props: Props) {
  const { label, description, error, value, onChange, isOptional = false } = props;
  const id = useId();
  const [isPicking, setPicking] = useState(false);
  const folder = useQuery({
    queryKey: ['folder', value],
    queryFn: () => api.getCog({ path: { id: value ?? 0 } }),
    enabled: value !== undefined,
  });
  const name = folder.data
    ? nameOfFolder(folder.data)
    : folder.error
      ? t`Deleted, or not yours to see`
      : '…';
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      labelProps={{ id }}
      {...(description && { description })}
      {...(error ? { error } : {})}
    >
      <Group gap="sm" mt={6} wrap="nowrap" role="group" aria-labelledby={id}>
        {value !== undefined && (
          <>
            <FileIcon isFolder />
            <Text size="sm" truncate>
              {name}
            </Text>
            {isOptional && (
              <ActionIcon size="sm" aria-label={t`No folder`} onClick={() => onChange(undefined)}>
                <IconX size={15} />
              </ActionIcon>
            )}
          </>
        )}
        <Button variant="default" size="xs" flex="none" onClick={() => setPicking(true)}>
          {value === undefined ? t`Choose a folder` : t`Change`}
        </Button>
      </Group>
      {isPicking && (
        <FolderPicker
          folderId={folder.error ? undefined : value}
          onChoose={(chosen) => {
            onChange(chosen.id);
            setPicking(false);
          }}
          onClose={() => setPicking(false)}
        />
      )}
    </Input.Wrapper>
  );
}
