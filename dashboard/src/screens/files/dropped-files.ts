/** The files of a drop. A dropped folder yields the files in it, each with its path. */

/** `folders` are the names from the drop down to the file; empty for a file dropped directly. */
export type Dropped = { folders: readonly string[]; file: File };

/** Whether files of the computer are dragged, rather than something of the page. */
export const hasFiles = ({ types }: DataTransfer): boolean =>
  types.some((type) => type === 'Files');

export async function droppedFiles(transfer: DataTransfer): Promise<Dropped[]> {
  // Entries must be read before the first await: the browser clears the list after it.
  const entries = [...transfer.items]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  if (entries.length === 0) return [...transfer.files].map((file) => ({ folders: [], file }));
  return (await Promise.all(entries.map((entry) => filesOf(entry, [])))).flat();
}

async function filesOf(entry: FileSystemEntry, folders: readonly string[]): Promise<Dropped[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ folders, file }];
  }
  const below = [...folders, entry.name];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: Dropped[] = [];
  for (;;) {
    // A directory is read in chunks of a hundred entries; an empty chunk ends it.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return files;
    files.push(...(await Promise.all(entries.map((one) => filesOf(one, below)))).flat());
  }
}

/** Its name, after the folders it is in, separated by "/". */
export const pathOf = ({ folders, file }: Dropped): string => [...folders, file.name].join('/');

/** A file that was chosen, perhaps with the folder it is in. */
export const chosenFile = (file: File): Dropped => ({
  // Empty, and in tests missing, unless a whole folder was chosen.
  folders: (file.webkitRelativePath ?? '').split('/').slice(0, -1),
  file,
});
