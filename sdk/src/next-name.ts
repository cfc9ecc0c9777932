/** `photo.jpg` → `photo (2).jpg` → `photo (3).jpg`; of a path, the last name. */
export function nextName(path: string): string {
  const start = path.lastIndexOf('/') + 1;
  const [folders, name] = [path.slice(0, start), path.slice(start)];
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  const numbered = /^(.*) \((\d+)\)$/.exec(stem);
  return numbered
    ? `${folders}${numbered[1]} (${Number(numbered[2]) + 1})${extension}`
    : `${folders}${stem} (2)${extension}`;
}
