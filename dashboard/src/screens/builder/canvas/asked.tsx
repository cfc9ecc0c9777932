/** What the canvas asks: at the place it is about, or in a dialog. Only one thing at a time. */
import { setNodeField } from '@cogworks/graph/edit/edits';
import { t } from '@lingui/core/macro';
import { Button, Group, Popover, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { NameDialog } from '../../../name-dialog.tsx';
import { PasteDialog, RemarksDialog } from '../copying/paste-dialog.tsx';
import { useEditor, useEditorState } from '../editor.ts';
import { KeysDialog } from '../keys-dialog.tsx';
import { NoteDialog } from '../notes/note-dialog.tsx';
import { Adder } from '../palette/adder.tsx';
import { useStored } from '../store.ts';
import { type Asked, useCanvasView, useTelling } from './canvas-context.ts';
import { canvasKeys } from './canvas-keys.ts';
import { ConnectFrom } from './connect-from.tsx';
import { focusCard } from './focus.ts';

export function AskedThings() {
  const view = useCanvasView();
  const telling = useTelling();
  const asked = useStored(view, (state) => state.asked);
  const close = () => {
    view.set({ asked: undefined });
    // What had the focus is behind the popover, not below it in the document.
    requestAnimationFrame(() => {
      const focused = document.activeElement;
      if (focused === document.body || focused?.matches('section')) focusCard(view.get().current);
    });
  };
  if (!asked) return null;
  switch (asked.kind) {
    case 'refused':
      return (
        <AtPoint x={asked.x} y={asked.y} label={t`This wire is refused`} onClose={close}>
          <Refusal asked={asked} onClose={close} />
        </AtPoint>
      );
    case 'add':
      return (
        <AtPoint x={asked.x} y={asked.y} label={t`Add a step`} onClose={close}>
          <Adder at={asked.at} start={asked.start} onClose={close} />
        </AtPoint>
      );
    case 'connect':
      return <ConnectFrom card={asked.card} onClose={close} />;
    case 'title':
      return <TitleDialog nodeKey={asked.key} onClose={close} />;
    case 'note':
      return <NoteDialog key={asked.id} id={asked.id} onClose={close} />;
    case 'paste':
      return <PasteDialog telling={telling} onClose={close} />;
    case 'remarks':
      return <RemarksDialog title={asked.title} remarks={asked.remarks} onClose={close} />;
    case 'keys':
      return <KeysDialog title={t`Keys of the canvas`} keys={canvasKeys} onClose={close} />;
  }
}

type AtPointProps = {
  x: number;
  y: number;
  label: string;
  onClose: () => void;
  children: ReactNode;
};

function AtPoint({ x, y, label, onClose, children }: AtPointProps) {
  return (
    <Popover
      opened
      onDismiss={onClose}
      trapFocus
      withRoles={false}
      position="bottom-start"
      width={320}
      shadow="md"
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        <span style={{ position: 'fixed', left: x, top: y }} />
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={label}>
        {children}
      </Popover.Dropdown>
    </Popover>
  );
}

type RefusalProps = { asked: Extract<Asked, { kind: 'refused' }>; onClose: () => void };

function Refusal({ asked: { verdict }, onClose }: RefusalProps) {
  const editor = useEditor();
  if (verdict.ok) return null;
  return (
    <Stack gap="sm">
      <Text size="sm">{verdict.message}</Text>
      {verdict.fixes.map((fix) => (
        <Button
          key={fix.words}
          variant="light"
          size="xs"
          justify="start"
          h="auto"
          py={6}
          styles={{ label: { whiteSpace: 'normal', textAlign: 'left' } }}
          onClick={() => {
            editor.edit(fix.words, fix.apply);
            onClose();
          }}
        >
          {fix.words}
        </Button>
      ))}
      <Group justify="flex-end">
        <Button variant="default" size="xs" onClick={onClose}>
          {verdict.fixes.length > 0 ? t`Cancel` : t`Close`}
        </Button>
      </Group>
    </Stack>
  );
}

function TitleDialog({ nodeKey, onClose }: { nodeKey: string; onClose: () => void }) {
  const editor = useEditor();
  const title = useEditorState(
    ({ graph }) => graph.nodes.find(({ key }) => key === nodeKey)?.title,
  );
  const before = title ?? nodeKey;
  return (
    <NameDialog
      opened
      title={t`Title of the step`}
      verb={t`Rename`}
      name={before}
      isBusy={false}
      error={null}
      onClose={onClose}
      onSubmit={(name) => {
        editor.edit(t`Title of ${before} → ${name}`, (graph) =>
          setNodeField(graph, nodeKey, 'title', name),
        );
        onClose();
      }}
    />
  );
}
