/** The button of a list that makes a new row. The palette offers the same. */
import { Button, type ButtonProps } from '@mantine/core';
import { IconPlus, type IconProps } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { useCommands } from './use-commands.ts';

type Props = ButtonProps & {
  /** Of the command. */
  id: string;
  /** Without dots, although a dialog follows. */
  label: string;
  /** Further words that find it, with spaces between. */
  words?: string;
  icon?: ComponentType<IconProps>;
  onNew: () => void;
};

export function NewButton({ id, label, words, icon: Icon = IconPlus, onNew, ...props }: Props) {
  useCommands([{ id, label: `${label}…`, words, icon: Icon, run: onNew }]);
  return (
    <Button leftSection={<Icon size={17} />} onClick={onNew} {...props}>
      {label}
    </Button>
  );
}
