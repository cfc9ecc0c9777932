/** The first names of many, and how many others there are. */
import { Trans } from '@lingui/react/macro';
import { List } from '@mantine/core';
import { formatCount } from '../../ui/format.ts';

const shown = 6;

export function FewNames({ names }: { names: readonly { id: string | number; name: string }[] }) {
  return (
    <List size="sm" mb="md" styles={{ item: { overflowWrap: 'anywhere' } }}>
      {names.slice(0, shown).map(({ id, name }) => (
        <List.Item key={id}>{name}</List.Item>
      ))}
      {names.length > shown && (
        <List.Item>
          <Trans>{formatCount(names.length - shown)} more</Trans>
        </List.Item>
      )}
    </List>
  );
}
