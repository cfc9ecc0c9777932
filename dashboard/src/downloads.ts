/** Downloads with the page's token: the browser stores the bytes on disk until they are saved. */
import type { Cog } from '@cogworks/sdk/contract.gen';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { api } from './api.ts';
import { wordsOf } from './ui/await.tsx';

type Wanted = Pick<Cog, 'id' | 'name'>;

export function useDownload() {
  return useMutation({
    mutationFn: async (cogs: readonly Wanted[]) => {
      for (const cog of cogs) await download(cog);
    },
  });
}

async function download({ id, name }: Wanted) {
  const note = notifications.show({
    loading: true,
    title: `Downloading ${name}`,
    message: 'It is saved once all of it has arrived.',
    autoClose: false,
    withCloseButton: false,
  });
  try {
    const response = await api.downloadCog({ path: { id } });
    save(await response.blob(), name);
    notifications.hide(note);
  } catch (error) {
    notifications.update({
      id: note,
      loading: false,
      color: 'red',
      title: `${name} could not be downloaded`,
      message: wordsOf(error).message,
      autoClose: 10_000,
      withCloseButton: true,
    });
  }
}

function save(bytes: Blob, name: string) {
  const url = URL.createObjectURL(bytes);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the address after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
