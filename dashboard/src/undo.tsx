/** Offers to take back what was just done: for ten seconds, by a button or by Ctrl+Z. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { wordsOf } from './ui/await.tsx';

const offered_ms = 10_000;

type Offer = { note: string; undo: () => Promise<unknown> };

/** What can be taken back now, the latest last. */
let offers: readonly Offer[] = [];

/** @param done what was done, as a sentence. */
export function offerUndo(done: string, undo: () => Promise<unknown>): void {
  const note = notifications.show({
    message: <UndoNotice done={done} onUndo={() => void take(note)} />,
    autoClose: offered_ms,
    onClose: () => withdraw(note),
  });
  offers = [...offers, { note, undo }];
}

function UndoNotice({ done, onUndo }: { done: string; onUndo: () => void }) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Text component="span" size="sm" lineClamp={3} style={{ overflowWrap: 'anywhere' }}>
        {done}
      </Text>
      <Button
        variant="subtle"
        size="compact-sm"
        flex="none"
        aria-keyshortcuts="Control+Z"
        onClick={onUndo}
      >
        <Trans>Undo</Trans>
      </Button>
    </Group>
  );
}

async function take(note: string) {
  const offer = offers.find((one) => one.note === note);
  if (!offer) return;
  withdraw(note);
  const state = { id: note, withCloseButton: false, autoClose: false } as const;
  notifications.update({ ...state, loading: true, message: t`Taking it back …` });
  try {
    await offer.undo();
    notifications.update({ ...state, loading: false, message: t`Taken back.`, autoClose: 3000 });
  } catch (error) {
    notifications.update({
      id: note,
      loading: false,
      color: 'red',
      title: t`That could not be undone`,
      message: wordsOf(error).message,
      autoClose: offered_ms,
      withCloseButton: true,
    });
  }
}

function withdraw(note: string) {
  offers = offers.filter((one) => one.note !== note);
}

addEventListener('keydown', (event) => {
  const isUndo = event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey);
  const latest = offers.at(-1);
  if (!isUndo || event.shiftKey || !latest || isEditing(event.target)) return;
  event.preventDefault();
  void take(latest.note);
});

/** In a text field the key takes back what was typed. */
const isEditing = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('input:not([type="checkbox"]), textarea');
