/** Beside the list: a file or folder with its preview, its facts, who has access, and its versions. */

import type { PlacedCog } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, CloseButton, Drawer, Group, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowsMaximize, IconDownload, IconUserPlus } from '@tabler/icons-react';
import { type KeyboardEvent, lazy, Suspense, useEffect, useRef } from 'react';
import { isFolder, nameOfFolder } from '../../../cogs.ts';
import { useNames } from '../../../people.ts';
import { PanelPreview } from '../../../preview/picture.tsx';
import { previewKind } from '../../../preview/preview-kind.ts';
import { Facts } from '../../../ui/facts.tsx';
import { FileIcon } from '../../../ui/file-icon.tsx';
import { formatExactly, formatSize } from '../../../ui/format.ts';
import { useIsTopmost } from '../../../ui/topmost.ts';
import type { FileAction } from '../file-actions.ts';
import { AccessWords } from './access-words.tsx';
import classes from './details.module.css';
import { Section } from './section.tsx';
import { Versions } from './versions.tsx';

const Origin = lazy(async () => ({ default: (await import('./origin/origin.tsx')).Origin }));

type Props = {
  cog: PlacedCog;
  onAction: (kind: FileAction | 'preview') => void;
  onClose: () => void;
};

/** Wide enough for the list and the panel side by side. */
export const sideBySide = '(min-width: 75em)';

export function DetailsPanel(props: Props) {
  const isBeside = useMediaQuery(sideBySide, undefined, { getInitialValueInEffect: false });
  const { cog, onClose } = props;
  const label = t`Details of ${nameOfFolder(cog)}`;
  if (isBeside) {
    const close = () => {
      onClose();
      // What has the focus goes away with the panel.
      document.querySelector<HTMLElement>('main [data-index][tabindex="0"]')?.focus();
    };
    const closeByKey = (event: KeyboardEvent) => {
      // Of a menu or a dialog above, which are rendered within, the key closes those alone.
      const isAbove = (event.target as HTMLElement).closest('[role="menu"], [role="dialog"]');
      if (event.key === 'Escape' && !event.defaultPrevented && !isAbove) close();
    };
    return (
      <aside className={classes.panel} aria-label={label} onKeyDown={closeByKey}>
        <Content {...props} onClose={close} />
      </aside>
    );
  }
  return <OverTheList {...props} label={label} />;
}

function OverTheList({ label, ...props }: Props & { label: string }) {
  const isTopmost = useIsTopmost(true);
  return (
    <Drawer.Root
      opened
      onClose={props.onClose}
      closeOnEscape={isTopmost}
      position="right"
      size={420}
    >
      <Drawer.Overlay backgroundOpacity={0.3} />
      <Drawer.Content aria-label={label}>
        <div className={classes.drawer}>
          <Content {...props} />
        </div>
      </Drawer.Content>
    </Drawer.Root>
  );
}

function Content({ cog, onAction, onClose }: Props) {
  const nameOf = useNames();
  const title = useRef<HTMLHeadingElement>(null);
  const told = useRef(cog.id);
  // A link to another file goes away with its own details.
  useEffect(() => {
    const isAnother = told.current !== cog.id;
    told.current = cog.id;
    if (isAnother && document.activeElement === document.body)
      title.current?.focus({ preventScroll: true });
  }, [cog.id]);
  const isFile = !isFolder(cog);
  const kind = previewKind(cog.mime_type);
  // A sound has nothing more to show, and its player's menu is where the button would be.
  const isSeen = kind !== undefined && kind !== 'audio';
  return (
    <>
      <div className={classes.header}>
        <FileIcon isFolder={!isFile} mime_type={cog.mime_type} />
        <Title order={2} className={classes.name} ref={title} tabIndex={-1}>
          {nameOfFolder(cog)}
        </Title>
        <CloseButton aria-label={t`Close the details`} onClick={onClose} />
      </div>
      {isFile && (
        <div className={classes.preview}>
          <PanelPreview key={`${cog.id} ${cog.version}`} cog={cog} />
          {isSeen && (
            <ActionIcon
              variant="default"
              className={classes.enlarge}
              aria-label={t`Show over the whole window`}
              onClick={() => onAction('preview')}
            >
              <IconArrowsMaximize size={16} />
            </ActionIcon>
          )}
        </div>
      )}
      <Group grow gap="sm" mb="md">
        <Button
          variant="default"
          leftSection={<IconUserPlus size={16} />}
          onClick={() => onAction('share')}
        >
          <Trans>Share</Trans>
        </Button>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          onClick={() => onAction('download')}
        >
          <Trans>Download</Trans>
        </Button>
      </Group>
      {isFile && (
        <Suspense>
          <Origin key={cog.id} cog={cog} />
        </Suspense>
      )}
      <Section title={t`Details`}>
        <Facts
          facts={[
            [t`Type`, isFile ? cog.mime_type : t`Folder`],
            [t`Size`, cog.size_bytes === undefined ? undefined : sizeWords(cog.size_bytes)],
            [t`Owner`, nameOf(cog.owner_id)],
            [t`Created`, formatExactly(cog.created_at)],
            [t`Changed`, formatExactly(cog.updated_at)],
            ['SHA-256', cog.checksum_sha256 && <code>{cog.checksum_sha256}</code>],
            ['ID', <code key="id">{cog.id}</code>],
          ]}
        />
      </Section>
      <Section title={t`Access`}>
        <AccessWords cog={cog} />
      </Section>
      {isFile && <Versions cog={cog} />}
    </>
  );
}

function sizeWords(size_bytes: number): string {
  const size = formatSize(size_bytes);
  return plural(size_bytes, { one: `${size} (# byte)`, other: `${size} (# bytes)` });
}
