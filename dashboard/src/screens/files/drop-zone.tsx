/** The whole screen accepts dropped files, and shows the target folder during a drag. */
import { IconUpload } from '@tabler/icons-react';
import { type DragEvent, type ReactNode, useEffect, useState } from 'react';
import classes from './drop-zone.module.css';
import { type Dropped, droppedFiles } from './dropped-files.ts';

type Props = {
  folderName: string;
  isAllowed: boolean;
  onFiles: (files: Dropped[]) => void;
  children: ReactNode;
};

export function DropZone({ folderName, isAllowed, onFiles, children }: Props) {
  const [isOver, setOver] = useState(false);
  useKeepPageOnMissedDrop();

  const over = (event: DragEvent) => {
    if (!isAllowed || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    setOver(true);
  };
  const leave = (event: DragEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
  };
  const drop = (event: DragEvent) => {
    if (!isAllowed) return;
    event.preventDefault();
    setOver(false);
    void droppedFiles(event.dataTransfer).then((files) => files.length > 0 && onFiles(files));
  };
  return (
    <section
      className={classes.zone}
      aria-label={`Contents of ${folderName}`}
      onDragEnter={over}
      onDragOver={over}
      onDragLeave={leave}
      onDrop={drop}
    >
      {children}
      {isOver && (
        <div className={classes.veil}>
          <div className={classes.hint}>
            <IconUpload size={22} aria-hidden />
            Drop to upload to “{folderName}”
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
