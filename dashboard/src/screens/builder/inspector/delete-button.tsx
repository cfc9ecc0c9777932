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
      onClick={() => {
        editor.edit(words, change);
        editor.select([]);
      }}
    >
      {children}
    </Button>
  );
}
