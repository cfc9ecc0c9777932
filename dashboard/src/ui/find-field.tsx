/** A small field to find something by, with a button that empties it. */
import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { KeyboardEvent } from 'react';

type Props = {
  label: string;
  placeholder: string;
  /** Of the button that empties it. */
  clearLabel: string;
  value: string;
  className?: string | undefined;
  onChange: (text: string) => void;
  onKeyDown?: (event: KeyboardEvent) => void;
};

export const FindField = ({ label, clearLabel, value, className, onChange, ...props }: Props) => (
  <TextInput
    size="xs"
    className={className ?? ''}
    aria-label={label}
    leftSection={<IconSearch size={15} aria-hidden />}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    rightSection={
      value && <CloseButton size="xs" aria-label={clearLabel} onClick={() => onChange('')} />
    }
    {...props}
  />
);
