/** What can be done with several steps that are selected. On a phone there are no keys for it. */
import { plural, t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { CommandIcon } from '../../../commands/command-icon.tsx';
import type { Command } from '../../../commands/registry.ts';
import { useEditor, useEditorState } from '../editor.ts';
import classes from './outline.module.css';

export function SelectedLine({ commands }: { commands: readonly Command[] }) {
  const editor = useEditor();
  const count = useEditorState(({ selection }) => selection.size);
  if (count < 2) return null;
  const none: Command = {
    ...{ id: 'select-none', label: t`Select nothing`, icon: IconX },
    run: () => editor.select([]),
  };
  return (
    <div className={classes.selected} role="toolbar" aria-label={t`What is selected`}>
      <CommandIcon command={none} />
      <Text size="sm" aria-live="polite" className={classes.selectedCount}>
        {plural(count, { one: '# selected', other: '# selected' })}
      </Text>
      {commands.map((command) => (
        <CommandIcon key={command.id} command={command} />
      ))}
    </div>
  );
}
