/** The files of a drop. A dropped folder gives the files in it, as deep as they lie. */

export async function droppedFiles(transfer: DataTransfer): Promise<File[]> {
  // The entries have to be taken before the first wait: the browser empties the list after it.
  const entries = [...transfer.items]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  if (entries.length === 0) return [...transfer.files];
  return (await Promise.all(entries.map(filesOf))).flat();
}

async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [file];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  for (;;) {
    // A directory is read a hundred entries at a time, and an empty answer ends it.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return files;
    files.push(...(await Promise.all(entries.map(filesOf))).flat());
  }
}
