/** The keys of the canvas, as ? shows them. */
import { t } from '@lingui/core/macro';
import { Kbd, Table } from '@mantine/core';
import { Dialog } from '../../../ui/dialog.tsx';

const keys: [string[], string][] = [
  [['←', '→'], t`Go along the wires`],
  [['↑', '↓'], t`Go to the next step above or below`],
  [[t`Enter`], t`Open the settings of the step`],
  [[t`Space`], t`Select or leave out`],
  [['A'], t`Add a step behind this one, connected`],
  [['C'], t`Connect this step`],
  [['T'], t`Test up to this step`],
  [['F2'], t`Change the title, or the text of a note`],
  [[t`Shift`, '←↑→↓'], t`Move what is selected`],
  [[t({ message: 'Delete', context: 'key' })], t`Delete what is selected`],
  [[t`Ctrl`, 'A'], t`Select everything`],
  [[t`Ctrl`, 'C'], t`Copy`],
  [[t`Ctrl`, 'V'], t`Paste`],
  [[t`Ctrl`, 'Z'], t`Undo`],
  [[t`Ctrl`, 'Y'], t`Redo`],
  [[t`Esc`], t`Select nothing`],
  [['?'], t`Show this list`],
];

export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog opened onClose={onClose} title={t`Keys of the canvas`}>
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
