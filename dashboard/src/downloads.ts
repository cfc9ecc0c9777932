/** Downloads by the browser itself, from an address that needs no token: a file may be larger than memory. */
import type { Cog } from '@cogworks/sdk/contract.gen';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { api } from './api.ts';
import { wordsOf } from './ui/await.tsx';

export function useDownload() {
  return useMutation({
    mutationFn: async (cogs: readonly Pick<Cog, 'id' | 'name'>[]) => {
      for (const { id, name } of cogs) {
        const { url } = await downloadUrl(id);
        const link = document.createElement('a');
        link.href = url;
        link.download = name;
        link.click();
        // Browsers drop a download that another one starts in the same moment.
        if (cogs.length > 1) await new Promise((resolve) => setTimeout(resolve, 400));
      }
    },
    onError: (error) =>
      notifications.show({
        color: 'red',
        title: 'The download did not start',
        message: wordsOf(error).message,
      }),
  });
}

async function downloadUrl(id: number): Promise<{ url: string }> {
  const response = await api.send({
    method: 'POST',
    path: `/cogs/${id}/download-url`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ expires_in: 300 }),
  });
  return (await response.json()) as { url: string };
}
