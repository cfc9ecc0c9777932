/** Which steps use something, each a way to it. */
import { Plural, Trans } from '@lingui/react/macro';
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
  const faults = useFaultsAt(id);
  const hints = useHintsAt(id);
  if (keys.length === 0) {
    return (
      <Text size="xs" c="var(--faint)">
        {faults.get('') ?? (hints || none)}
      </Text>
    );
  }
  const shown = keys.slice(0, 8);
  const rest = keys.length - shown.length;
  return (
    <Text size="xs" c="var(--faint)" component="div">
      {rest === 0 ? (
        <Trans>
          Used by <Steps keys={shown} />
        </Trans>
      ) : (
        <Trans>
          Used by <Steps keys={shown} /> and <Plural value={rest} one="# more" other="# more" />
        </Trans>
      )}
    </Text>
  );
}

function Steps({ keys }: { keys: readonly string[] }) {
  const editor = useEditor();
  const titles = useTitles(useGraph());
  return (
    <>
      {keys.map((key, at) => (
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
    </>
  );
}
