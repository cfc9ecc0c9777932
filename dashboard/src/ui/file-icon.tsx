/** An icon for the kind of file. */
import {
  IconFile,
  IconFileMusic,
  IconFileSpreadsheet,
  IconFileText,
  IconFileTypePdf,
  IconFileZip,
  IconFolderFilled,
  IconMovie,
  IconPhoto,
} from '@tabler/icons-react';

type Props = { isFolder: boolean; mime_type?: string | undefined; size?: number };

export function FileIcon({ isFolder, mime_type = '', size = 20 }: Props) {
  if (isFolder) {
    return <IconFolderFilled size={size} color="var(--mantine-color-petrol-5)" aria-hidden />;
  }
  const Icon = iconOf(mime_type);
  return <Icon size={size} stroke={1.6} color="var(--faint)" aria-hidden />;
}

function iconOf(type: string) {
  if (type.startsWith('image/')) return IconPhoto;
  if (type.startsWith('video/')) return IconMovie;
  if (type.startsWith('audio/')) return IconFileMusic;
  if (type === 'application/pdf') return IconFileTypePdf;
  if (/csv|spreadsheet|excel/.test(type)) return IconFileSpreadsheet;
  if (/zip|tar|compressed|gzip/.test(type)) return IconFileZip;
  if (type.startsWith('text/') || /json|xml/.test(type)) return IconFileText;
  return IconFile;
}
