/** The files of a drop. A dropped folder yields the files in it, each with its path. */

/** `folders` are the names from the drop down to the file; empty for a file dropped directly. */
export type Dropped = { folders: readonly string[]; file: File };

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

type EnsureFolder = (parent_id: number, name: string) => Promise<number>;
export type Placed = { folder_id: number; files: File[] };

/**
 * The target of each file: its folders are created below `root`, or found there.
 *
 * @param ensureFolder creates the folder or finds it by name; called once for each.
 */
export async function placeFiles(
  root: number,
  dropped: readonly Dropped[],
  ensureFolder: EnsureFolder,
): Promise<Placed[]> {
  const known = new Map<string, number>([[JSON.stringify([]), root]]);
  const folderOf = async (folders: readonly string[]): Promise<number> => {
    const key = JSON.stringify(folders);
    const found = known.get(key);
    if (found !== undefined) return found;
    const parent = await folderOf(folders.slice(0, -1));
    const id = await ensureFolder(parent, folders.at(-1) ?? '');
    known.set(key, id);
    return id;
  };
  const placed = new Map<number, File[]>();
  for (const { folders, file } of dropped) {
    const id = await folderOf(folders);
    placed.set(id, [...(placed.get(id) ?? []), file]);
  }
  return [...placed].map(([folder_id, files]) => ({ folder_id, files }));
}
