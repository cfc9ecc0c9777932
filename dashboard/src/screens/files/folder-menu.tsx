/** The menu of a right click beside the rows: what can be done in the open folder. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Menu } from '@mantine/core';
import { useFileDialog } from '@mantine/hooks';
import { IconFolderPlus, IconFolderUp, IconListCheck, IconUpload } from '@tabler/icons-react';
import { type MouseEvent, type ReactNode, type RefObject, useRef, useState } from 'react';
import { LoadedDialog } from '../../ui/loaded-dialog.tsx';
import { ActionItems } from '../../ui/rows/action-items.tsx';
import type { Actions } from '../../ui/rows/actions.ts';
import type { ListHandle } from './cog-list.tsx';
import { NewFolderDialog } from './loaded-later.ts';
import { sendChosen } from './send-files.ts';

type FolderAction = 'new-folder' | 'upload' | 'upload-folder' | 'choose-all';

const always = () => true;
const mayAdd = (folders: readonly Cog[]) => folders.every(({ access }) => access.can_upload);

const folderActions = (hasRows: boolean): Actions<Cog, FolderAction> => [
  {
    kind: 'new-folder',
    label: t`New folder…`,
    icon: IconFolderPlus,
    isOffered: always,
    isAllowed: mayAdd,
  },
  {
    kind: 'upload',
    label: t`Upload files`,
    icon: IconUpload,
    isOffered: always,
    isAllowed: mayAdd,
  },
  {
    kind: 'upload-folder',
    label: t`Upload a folder`,
    icon: IconFolderUp,
    isOffered: always,
    isAllowed: mayAdd,
  },
  {
    kind: 'choose-all',
    label: t`Choose all`,
    icon: IconListCheck,
    isOffered: always,
    isAllowed: () => hasRows,
  },
];

type Props = {
  folder: Cog;
  /** Empty while no rows are shown. */
  list: RefObject<ListHandle | null>;
  children: (onContextMenu: (event: MouseEvent<HTMLElement>) => void) => ReactNode;
};

/** @param children what the menu is for, with the handler that opens it there. */
export function FolderMenu({ folder, list, children }: Props) {
  const place = useRef<HTMLSpanElement>(null);
  const [hasRows, setHasRows] = useState(false);
  const [isNaming, setNaming] = useState(false);
  const add = (files: FileList | null) => files && sendChosen(folder.id, [...files]);
  const files = useFileDialog({ multiple: true, onChange: add });
  const wholeFolder = useFileDialog({ directory: true, onChange: add });

  const act = (kind: FolderAction) => {
    if (kind === 'new-folder') setNaming(true);
    if (kind === 'upload') files.open();
    if (kind === 'upload-folder') wholeFolder.open();
    if (kind === 'choose-all') list.current?.chooseAll();
  };
  const onContextMenu = (event: MouseEvent<HTMLElement>) => {
    // A row has opened its own menu.
    if (event.defaultPrevented || !isEmptySpace(event)) return;
    event.preventDefault();
    setHasRows(list.current !== null);
    const { clientX, clientY } = event;
    place.current?.dispatchEvent(
      new globalThis.MouseEvent('contextmenu', {
        bubbles: true,
        cancelable: true,
        clientX,
        clientY,
      }),
    );
  };
  return (
    <>
      {children(onContextMenu)}
      <Menu position="bottom-start">
        {/* Not around the children: it would take long presses and the selection of text from them. */}
        <Menu.ContextMenu>
          <span ref={place} hidden />
        </Menu.ContextMenu>
        <Menu.Dropdown>
          <ActionItems actions={folderActions(hasRows)} rows={[folder]} onAction={act} />
        </Menu.Dropdown>
      </Menu>
      {isNaming && (
        <LoadedDialog onClose={() => setNaming(false)}>
          <NewFolderDialog opened folder={folder} onClose={() => setNaming(false)} />
        </LoadedDialog>
      )}
    </>
  );
}

/** Whether the click is beside everything for which the browser's own menu is of use. */
function isEmptySpace({ target, currentTarget }: MouseEvent<HTMLElement>): boolean {
  const element = target as HTMLElement;
  const other = 'a, button, input, label, aside, [data-index], [role="alert"], [role="toolbar"]';
  // Dialogs are elsewhere in the page, though their events come by here.
  return currentTarget.contains(element) && element.closest(other) === null;
}
