/** Begins uploads. What sends them is loaded with the panel that shows them. */
import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { wordsOf } from '../../ui/await.tsx';
import { chosenFile, type Dropped } from './dropped-files.ts';

export const sendChosen = (folder_id: number, files: readonly File[]): void =>
  sendDropped(folder_id, files.map(chosenFile));

export function sendDropped(folder_id: number, files: readonly Dropped[]): void {
  import('./uploads.ts').then(
    ({ uploads }) => uploads.add(folder_id, files),
    (error: unknown) =>
      notifications.show({
        color: 'red',
        title: t`Nothing was uploaded`,
        message: wordsOf(error).message,
      }),
  );
}
