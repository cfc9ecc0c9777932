/**
 * Downloads: the browser fetches a URL that needs no token, so it shows the progress, writes to the
 * disk as bytes arrive, and can resume. Folders and several files come as one ZIP.
 */
import type { Cog } from '@cogworks/sdk/contract.gen';
import { downloadUrl } from '@cogworks/sdk/download';
import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { api } from './api.ts';
import { wordsOf } from './ui/await.tsx';

export function useDownload() {
  return useMutation({
    mutationFn: async (cogs: readonly Pick<Cog, 'id'>[]) => {
      const { url } = await downloadUrl(api, { ids: cogs.map(({ id }) => id) });
      openDownload(url);
    },
    onError: (error) =>
      notifications.show({
        color: 'red',
        title: t`The download did not start`,
        message: wordsOf(error).message,
        autoClose: 10_000,
      }),
  });
}

/** Gives a URL of the service to the browser to save what it answers. */
export function openDownload(url: string): void {
  const link = document.createElement('a');
  link.href = ownAddress(url);
  link.download = '';
  link.click();
}

/** Gives what the page has itself to the browser to save. */
export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has opened it by the next turn.
  setTimeout(() => URL.revokeObjectURL(link.href));
}

/** The page may be open under another name of the server than the URL has. */
export function ownAddress(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
