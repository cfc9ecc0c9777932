/** What would make something right: a button each. */
import type { Graph } from '@cogworks/graph/types';
import { Button } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useEditor } from '../editor.ts';

type Props = {
  mends: readonly { words: string; apply: (graph: Graph) => Graph }[];
  onDone: () => void;
};

export function MendButtons({ mends, onDone }: Props) {
  const editor = useEditor();
  return mends.map(({ words, apply }) => (
    <Button
      key={words}
      size="compact-sm"
      variant="default"
      leftSection={<IconTool size={14} />}
      onClick={() => {
        editor.edit(words, apply);
        onDone();
      }}
    >
      {words}
    </Button>
  ));
}
