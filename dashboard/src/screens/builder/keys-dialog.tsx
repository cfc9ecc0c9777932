/** The keys of a view, as ? shows them. */
import { Kbd, Table } from '@mantine/core';
import { Dialog } from '../../ui/dialog.tsx';

/** Keys that are pressed together or one of which is, and what they do. */
export type KeyWords = readonly (readonly [pressed: readonly string[], words: string])[];

type Props = { title: string; keys: KeyWords; onClose: () => void };

export function KeysDialog({ title, keys, onClose }: Props) {
  return (
    <Dialog opened onClose={onClose} title={title}>
      <Table verticalSpacing={5}>
        <Table.Tbody>
          {keys.map(([pressed, words]) => (
            <Table.Tr key={pressed.join(' ')}>
              <Table.Td w={1} pr="lg" style={{ whiteSpace: 'nowrap' }}>
                {pressed.map((key, index) => (
                  <span key={key}>
                    {index > 0 && ' '}
                    <Kbd>{key}</Kbd>
                  </span>
                ))}
              </Table.Td>
              <Table.Td>{words}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  );
}
