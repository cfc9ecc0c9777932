/** The way to a new trigger of each type. The dialog is loaded when the menu opens. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Menu, Text } from '@mantine/core';
import { IconChevronDown, IconPlus } from '@tabler/icons-react';
import { lazy, useState } from 'react';
import { useCommands } from '../commands/use-commands.ts';
import { LoadedDialog } from '../ui/loaded-dialog.tsx';
import type { TriggerStart } from './trigger-form.ts';
import { allTypes, triggerTypes } from './types.tsx';

const loadDialog = () => import('./trigger-dialog.tsx');
const TriggerDialog = lazy(async () => ({ default: (await loadDialog()).TriggerDialog }));

type Props = {
  /** What the new one begins with. */
  start?: Omit<TriggerStart, 'type'>;
  variant?: 'filled' | 'default';
};

export function NewTriggerButton({ start = {}, variant = 'filled' }: Props) {
  const [type, setType] = useState<TriggerStart['type']>();
  useCommands(
    allTypes.map((one) => {
      const { label, purpose, icon } = triggerTypes[one];
      const run = () => setType(one);
      return {
        id: `new trigger: ${one}`,
        label: t`New trigger: ${label}…`,
        words: purpose,
        icon,
        run,
      };
    }),
  );
  return (
    <>
      <Menu width={300} onOpen={() => void loadDialog().catch(() => {})}>
        <Menu.Target>
          <Button
            variant={variant}
            leftSection={<IconPlus size={17} />}
            rightSection={<IconChevronDown size={15} />}
          >
            <Trans>New trigger</Trans>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {allTypes.map((one) => {
            const { label, purpose, icon: Icon } = triggerTypes[one];
            return (
              <Menu.Item
                key={one}
                leftSection={<Icon size={18} stroke={1.7} />}
                onClick={() => setType(one)}
              >
                {label}
                <Text size="xs" c="var(--faint)">
                  {purpose}
                </Text>
              </Menu.Item>
            );
          })}
        </Menu.Dropdown>
      </Menu>
      {type && (
        <LoadedDialog onClose={() => setType(undefined)}>
          <TriggerDialog subject={{ ...start, type }} onClose={() => setType(undefined)} />
        </LoadedDialog>
      )}
    </>
  );
}
