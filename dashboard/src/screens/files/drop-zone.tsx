/**
 * The whole screen accepts dropped files, and shows the target folder during a drag; except over a
 * folder in it, which accepts them by itself.
 */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconUpload } from '@tabler/icons-react';
import { type DragEvent, type MouseEvent, type ReactNode, useEffect, useState } from 'react';
import classes from './drop-zone.module.css';
import { type Dropped, droppedFiles, hasFiles } from './dropped-files.ts';

type Props = {
  folderName: string;
  isAllowed: boolean;
  onFiles: (files: Dropped[]) => void;
  onContextMenu: (event: MouseEvent<HTMLElement>) => void;
  children: ReactNode;
};

export function DropZone(props: Props) {
  const { folderName, isAllowed, onFiles, onContextMenu, children } = props;
  const [isOver, setOver] = useState(false);
  useKeepPageOnMissedDrop();

  const over = (event: DragEvent) => {
    if (event.defaultPrevented) return setOver(false);
    if (!isAllowed || !hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    setOver(true);
  };
  const leave = (event: DragEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
  };
  const drop = (event: DragEvent) => {
    setOver(false);
    if (!isAllowed || event.defaultPrevented) return;
    event.preventDefault();
    void droppedFiles(event.dataTransfer).then((files) => files.length > 0 && onFiles(files));
  };
  return (
    <section
      className={classes.zone}
      aria-label={t`Contents of ${folderName}`}
      onDragEnter={over}
      onDragOver={over}
      onDragLeave={leave}
      onDrop={drop}
      onContextMenu={onContextMenu}
    >
      {children}
      {isOver && (
        <div className={classes.veil}>
          <div className={classes.hint}>
            <IconUpload size={22} aria-hidden />
            <Trans>Drop to upload to “{folderName}”</Trans>
          </div>
        </div>
      )}
    </section>
  );
}

/** A file dropped outside the zone would otherwise replace the page. */
function useKeepPageOnMissedDrop() {
  useEffect(() => {
    const refuse = (event: globalThis.DragEvent) => {
      if (!event.defaultPrevented && event.dataTransfer) event.dataTransfer.dropEffect = 'none';
      event.preventDefault();
    };
    addEventListener('dragover', refuse);
    addEventListener('drop', refuse);
    return () => {
      removeEventListener('dragover', refuse);
      removeEventListener('drop', refuse);
    };
  }, []);
}
