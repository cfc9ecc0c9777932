/** A command as a button with an icon. Where it cannot be given, it says why. */
import { ActionIcon, Tooltip } from '@mantine/core';
import type { Command } from './registry.ts';

export function CommandIcon({ command }: { command: Command }) {
  const { label, about, reason, keys, isPressed, icon: Icon, run } = command;
  const isOff = reason !== undefined;
  return (
    <Tooltip label={reason ?? about ?? label}>
      <ActionIcon
        aria-label={label}
        {...(keys !== undefined && { 'aria-keyshortcuts': keys })}
        {...(isPressed !== undefined && { 'aria-pressed': isPressed })}
        data-disabled={isOff}
        aria-disabled={isOff}
        onClick={() => {
          if (!isOff) run();
        }}
      >
        <Icon size={18} />
      </ActionIcon>
    </Tooltip>
  );
}
