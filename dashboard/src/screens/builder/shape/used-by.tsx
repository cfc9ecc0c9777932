/** Which steps use something, each a way to it. */
import { Anchor, Text } from '@mantine/core';
import { useEditor } from '../editor.ts';
import { useGraph, useTitles } from '../inspector/use-node.ts';

export function UsedBy({ keys, none }: { keys: readonly string[]; none: string }) {
  const editor = useEditor();
  const titles = useTitles(useGraph());
  if (keys.length === 0) {
    return (
      <Text size="xs" c="var(--faint)">
        {none}
      </Text>
    );
  }
  return (
    <Text size="xs" c="var(--faint)" component="div">
      Used by{' '}
      {keys.slice(0, 8).map((key, at) => (
        <span key={key}>
          {at > 0 && ', '}
          <Anchor
            component="button"
            type="button"
            size="xs"
            onClick={() => editor.select([`node:${key}`])}
          >
            {titles.get(key) ?? key}
          </Anchor>
        </span>
      ))}
      {keys.length > 8 && ` and ${keys.length - 8} more`}
    </Text>
  );
}
