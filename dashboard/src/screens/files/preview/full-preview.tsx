/** A file over the whole window; arrow keys lead to the files before and after it in the list. */

import type { PlacedCog } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Group, Modal, Text, Tooltip } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import {
  IconArrowLeft,
  IconArrowRight,
  IconDownload,
  IconInfoCircle,
  IconRoute,
  IconUserPlus,
  IconX,
} from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { Preview } from '../../../preview/preview.tsx';
import { passFocusOn } from '../../../preview/scroll-by-keys.ts';
import { formatCount } from '../../../ui/format.ts';
import { LongName } from '../../../ui/long-name.tsx';
import { useReturnFocus } from '../../../ui/return-focus.ts';
import { useTakeFocus } from '../../../ui/take-focus.ts';
import { useIsTopmost } from '../../../ui/topmost.ts';
import type { FileAction } from '../file-actions.ts';
import classes from './full-preview.module.css';

type Props = {
  cog: PlacedCog;
  /** The files of the list, in its order. */
  files: readonly PlacedCog[];
  onShow: (cog: PlacedCog) => void;
  onAction: (kind: FileAction) => void;
  onClose: () => void;
};

const actions = [
  { kind: 'share', label: t`Share`, icon: IconUserPlus },
  { kind: 'download', label: t`Download`, icon: IconDownload },
  { kind: 'origin', label: t`Where it comes from`, icon: IconRoute },
  { kind: 'details', label: t`Details`, icon: IconInfoCircle },
] as const;

export function FullPreview({ cog, files, onShow, onAction, onClose }: Props) {
  const isTopmost = useIsTopmost(true);
  useReturnFocus(true);
  const last = useTakeFocus(true, onClose);
  const index = files.findIndex(({ id }) => id === cog.id);
  const [before, after] = [files[index - 1], index < 0 ? undefined : files[index + 1]];
  useWindowEvent('keydown', (event) => {
    // Players have arrow keys of their own, and so has what may be open above.
    if (!isTopmost || (event.target as HTMLElement).closest('video,audio,input')) return;
    const next = { ArrowLeft: before, ArrowRight: after }[event.key];
    if (!next) return;
    event.preventDefault();
    onShow(next);
  });
  const body = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with another file, what had the focus is gone
  useEffect(() => {
    if (document.activeElement === document.body) body.current?.focus();
  }, [cog.id]);
  return (
    <Modal.Root opened fullScreen onClose={onClose} closeOnEscape={isTopmost} returnFocus={false}>
      {/* Named before its title is, since it has the focus by then. */}
      <Modal.Content aria-label={cog.name}>
        <div className={classes.content}>
          <div className={classes.header}>
            <Modal.Title className={classes.title}>
              <Text component="span" fw={560} miw={0}>
                <LongName name={cog.name} />
              </Text>
              {index >= 0 && (
                <span className={classes.position}>
                  <Trans>
                    {formatCount(index + 1)} of {formatCount(files.length)}
                  </Trans>
                </span>
              )}
            </Modal.Title>
            <Group gap={4} wrap="nowrap">
              {actions.map(({ kind, label, icon: Icon }) => (
                <Tooltip key={kind} label={label}>
                  <ActionIcon size="lg" aria-label={label} onClick={() => onAction(kind)}>
                    <Icon size={19} />
                  </ActionIcon>
                </Tooltip>
              ))}
              <Tooltip label={t`Close`}>
                <ActionIcon size="lg" aria-label={t`Close`} onClick={onClose}>
                  <IconX size={20} />
                </ActionIcon>
              </Tooltip>
            </Group>
          </div>
          <Modal.Body
            ref={body}
            className={classes.body}
            data-autofocus
            tabIndex={-1}
            onFocus={passFocusOn}
          >
            <Preview key={`${cog.id} ${cog.version}`} cog={cog} size="full" />
          </Modal.Body>
          {before && (
            <ActionIcon
              className={classes.before}
              size={44}
              aria-label={t`Before: ${before.name}`}
              onClick={() => onShow(before)}
            >
              <IconArrowLeft size={22} />
            </ActionIcon>
          )}
          {after && (
            <ActionIcon
              className={classes.after}
              size={44}
              aria-label={t`Next: ${after.name}`}
              onClick={() => onShow(after)}
            >
              <IconArrowRight size={22} />
            </ActionIcon>
          )}
        </div>
        <span ref={last} hidden />
      </Modal.Content>
    </Modal.Root>
  );
}
