/** The keys of the canvas, as ? shows them. */
import { Kbd, Table } from '@mantine/core';
import { Dialog } from '../../../ui/dialog.tsx';

const keys: [string[], string][] = [
  [['←', '→'], 'Go along the wires'],
  [['↑', '↓'], 'Go to the next step above or below'],
  [['Enter'], 'Open the settings of the step'],
  [['Space'], 'Select or leave out'],
  [['A'], 'Add a step behind this one, connected'],
  [['C'], 'Connect this step'],
  [['T'], 'Test up to this step'],
  [['F2'], 'Change the title, or the text of a note'],
  [['Shift', '←↑→↓'], 'Move what is selected'],
  [['Delete'], 'Delete what is selected'],
  [['Ctrl', 'A'], 'Select everything'],
  [['Ctrl', 'C'], 'Copy'],
  [['Ctrl', 'V'], 'Paste'],
  [['Ctrl', 'Z'], 'Undo'],
  [['Ctrl', 'Y'], 'Redo'],
  [['Esc'], 'Select nothing'],
  [['?'], 'Show this list'],
];

export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog opened onClose={onClose} title="Keys of the canvas">
      <Table verticalSpacing={5}>
        <Table.Tbody>
          {keys.map(([pressed, words]) => (
            <Table.Tr key={words}>
              <Table.Td w={150}>
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
