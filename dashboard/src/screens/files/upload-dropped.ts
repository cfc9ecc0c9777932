/** Uploads dropped files; dropped folders become folders. */
import { ApiError } from '@cogworks/sdk/errors';
import { notifications } from '@mantine/notifications';
import { api } from '../../api.ts';
import { wordsOf } from '../../ui/await.tsx';
import { type Dropped, placeFiles } from './dropped-files.ts';
import { uploads } from './uploads.ts';

export async function uploadDropped(folderId: number, dropped: readonly Dropped[]): Promise<void> {
  try {
    for (const { folder_id, files } of await placeFiles(folderId, dropped, ensureFolder)) {
      uploads.add(folder_id, files);
    }
  } catch (error) {
    const { message } = wordsOf(error);
    notifications.show({ color: 'red', title: 'The folders could not be created', message });
  }
}

async function ensureFolder(parent_id: number, name: string): Promise<number> {
  try {
    return (await api.createFolder({ body: { name, cog_type: 'asset_folder', parent_id } })).id;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'name_collision') throw error;
    const [found] = await api.listCogs({ query: { parent_id, name, cog_type: 'asset_folder' } });
    // The name may belong to a file: then the folder cannot be created.
    if (!found) throw error;
    return found.id;
  }
}
