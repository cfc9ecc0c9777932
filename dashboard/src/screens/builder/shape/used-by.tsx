/** Which steps use something, each a way to it. */
import { Anchor, Text } from '@mantine/core';
import { useEditor } from '../editor.ts';
import { useFaultsAt, useGraph, useHintsAt, useTitles } from '../inspector/use-node.ts';

type Props = {
  /** As in the selection. */
  id: string;
  keys: readonly string[];
  /** Said if nothing uses it and the check has not said so yet. */
  none: string;
};

export function UsedBy({ id, keys, none }: Props) {
  const editor = useEditor();
  const faults = useFaultsAt(id);
  const hints = useHintsAt(id);
  const titles = useTitles(useGraph());
  if (keys.length === 0) {
    return (
      <Text size="xs" c="var(--faint)">
        {faults.get('') ?? (hints || none)}
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
