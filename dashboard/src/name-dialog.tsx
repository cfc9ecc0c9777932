/** Asks for a name; the service's errors about it are shown beside the field. */
import { ApiError } from '@cogworks/sdk/errors';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, useLayoutEffect, useRef, useState } from 'react';
import { wordsOf } from './ui/await.tsx';
import { Dialog } from './ui/dialog.tsx';

type Props = {
  opened: boolean;
  title: string;
  verb: string;
  name: string;
  /** The name that is offered may be taken as it is. */
  isUnchangedAllowed?: boolean;
  isBusy: boolean;
  error: unknown;
  onSubmit: (name: string) => void;
  onClose: () => void;
};

export function NameDialog({ opened, title, onClose, ...form }: Props) {
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <NameForm {...form} onClose={onClose} />
    </Dialog>
  );
}

/** Beside the field, which need not be named again. */
function faultOf(error: unknown): string {
  const faults = error instanceof ApiError ? error.fields : [];
  return faults.map(({ msg }) => msg).join(' ') || wordsOf(error).message;
}

type FormProps = Omit<Props, 'opened' | 'title'>;

function NameForm(props: FormProps) {
  const { verb, name, isUnchangedAllowed = false, isBusy, error, onSubmit, onClose } = props;
  const [text, setText] = useState(name);
  const field = useRef<HTMLInputElement>(null);
  // Before the first key, which would else be selected and replaced by the next.
  useLayoutEffect(() => {
    // Selects a file's name without its extension, which users rarely want to change.
    const dot = name.lastIndexOf('.');
    field.current?.setSelectionRange(0, dot > 0 ? dot : name.length);
  }, [name]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim()) onSubmit(text.trim());
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        ref={field}
        label={t`Name`}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={error == null ? undefined : faultOf(error)}
        autoComplete="off"
        data-autofocus
      />
      <Group justify="flex-end" mt="lg" gap="sm">
        <Button variant="default" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button
          type="submit"
          loading={isBusy}
          disabled={!text.trim() || (text.trim() === name && !isUnchangedAllowed)}
        >
          {verb}
        </Button>
      </Group>
    </form>
  );
}
