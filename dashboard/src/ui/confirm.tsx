/**
 * Asks before an action, above all one that is hard to undo. Says what will happen instead of
 * "Are you sure?".
 */
import { t } from '@lingui/core/macro';
import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Problem } from './await.tsx';
import { Dialog } from './dialog.tsx';

type QuestionProps = {
  children: ReactNode;
  /** The action of the button, as a verb. */
  verb: string;
  /** The label of the other button, if "Cancel" could be mistaken for the action. */
  otherwise?: string;
  /** Nothing is lost by it. */
  isHarmless?: boolean;
  isBusy: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
};

type Props = QuestionProps & { opened: boolean; title: string };

export const Confirm = ({ opened, title, ...question }: Props) => (
  <Dialog opened={opened} onClose={question.onClose} title={title}>
    <Question {...question} />
  </Dialog>
);

/** What is in the dialog, for one that may hold something else instead. */
export function Question({
  children,
  verb,
  otherwise = t`Cancel`,
  isHarmless = false,
  isBusy,
  error,
  onConfirm,
  onClose,
}: QuestionProps) {
  return (
    <>
      <Text size="sm" component="div">
        {children}
      </Text>
      {error != null && (
        <div style={{ marginTop: 16 }}>
          <Problem error={error} />
        </div>
      )}
      <Group justify="flex-end" mt="lg" gap="sm">
        <Button variant="default" onClick={onClose} data-autofocus>
          {otherwise}
        </Button>
        <Button {...(isHarmless ? {} : { color: 'red.9' })} loading={isBusy} onClick={onConfirm}>
          {verb}
        </Button>
      </Group>
    </>
  );
}
