/** Opens the palette by its keys or button, and does what it asks for. Loaded beside the page. */
import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useParams, useRouter } from '@tanstack/react-router';
import { lazy, useEffect, useState } from 'react';
import { api } from '../../api.ts';
import { useMe } from '../../people.ts';
import { chooseFiles } from '../../screens/files/file-input.ts';
import { sendChosen } from '../../screens/files/send-files.ts';
import { wordsOf } from '../../ui/await.tsx';
import { KeysHeld, LoadedDialog } from '../../ui/loaded-dialog.tsx';
import { Palette } from './palette.tsx';
import { followPlaces } from './recent.ts';

const NewFolderDialog = lazy(async () => ({
  default: (await import('../../screens/files/new-folder-dialog.tsx')).NewFolderDialog,
}));

type Props = { isOpen: boolean; onClose: () => void };

export function PaletteHost({ isOpen, onClose }: Props) {
  const router = useRouter();
  const { folderId } = useParams({ strict: false });
  const [isNaming, setNaming] = useState(false);
  const userId = useMe().data?.id;
  useEffect(
    () => (userId === undefined ? undefined : followPlaces(router, userId)),
    [router, userId],
  );

  const folder = () =>
    folderId === undefined ? api.getRootCog() : api.getCog({ path: { id: Number(folderId) } });
  const act = (what: 'new folder' | 'upload') => {
    if (what === 'new folder') return setNaming(true);
    chooseFiles((files) => void folder().then(({ id }) => sendChosen(id, files)));
  };
  return (
    <>
      {isOpen && <Palette onClose={onClose} onAct={act} />}
      {isNaming && <NewFolder folderId={folderId} read={folder} onClose={() => setNaming(false)} />}
    </>
  );
}

type NewFolderProps = {
  folderId: string | undefined;
  read: () => ReturnType<typeof api.getRootCog>;
  onClose: () => void;
};

function NewFolder({ folderId, read, onClose }: NewFolderProps) {
  const { data, error, isPending } = useQuery({
    queryKey: ['folder', Number(folderId) || 'root'],
    queryFn: read,
  });
  const isFailed = data === undefined && error !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once
  useEffect(() => {
    if (!isFailed) return;
    const { message } = wordsOf(error);
    notifications.show({ color: 'red', title: t`No folder can be made here`, message });
    onClose();
  }, [isFailed]);
  if (isPending) return <KeysHeld onClose={onClose} />;
  if (!data) return null;
  return (
    <LoadedDialog onClose={onClose}>
      <NewFolderDialog opened folder={data} onClose={onClose} />
    </LoadedDialog>
  );
}
