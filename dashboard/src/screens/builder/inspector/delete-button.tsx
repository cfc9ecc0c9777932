/** Takes something out of the graph; not there where the graph may only be read. */
import type { Graph } from '@cogworks/graph/types';
import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useEditor } from '../editor.ts';
import { useIsReadOnly } from './use-node.ts';

type Props = {
  /** The step of undo: as it brings all back, nobody is asked before. */
  words: string;
  change: (graph: Graph) => Graph;
  icon?: ReactNode;
  className?: string | undefined;
  children: ReactNode;
};

export function DeleteButton({ words, change, icon, className = '', children }: Props) {
  const editor = useEditor();
  if (useIsReadOnly()) return null;
  return (
    <Button
      variant="default"
      size="sm"
      leftSection={icon ?? <IconTrash size={15} />}
      className={className}
      onClick={({ currentTarget }) => {
        // On a phone it is a dialog.
        const panel = currentTarget.closest<HTMLElement>('aside, [role="dialog"]');
        editor.edit(words, change);
        editor.select([]);
        // The button goes with what it deletes.
        setTimeout(() => {
          if (document.activeElement === document.body && panel) focusPanel(panel);
        });
      }}
    >
      {children}
    </Button>
  );
}

/** Only for this moment: a click into an empty part of the panel leaves the keys to the canvas. */
function focusPanel(panel: HTMLElement) {
  if (!panel.hasAttribute('tabindex')) {
    panel.tabIndex = -1;
    panel.addEventListener('blur', () => panel.removeAttribute('tabindex'), { once: true });
  }
  panel.focus();
}
