/** The beginning of a text file. */
import { ApiError } from '@cogworks/sdk/errors';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { publicApi } from '../api.ts';
import { Problem } from '../ui/await.tsx';
import { formatSize } from '../ui/format.ts';
import classes from './preview.module.css';
import { useFocusWhenShown } from './scroll-by-keys.ts';
import { Waiting } from './waiting.tsx';

/** More than anybody reads here; a page with megabytes of text would be slow. */
const most_bytes = 256 * 1024;

const onlyTheFirst = t`… Only the first ${formatSize(most_bytes)} are shown.`;

type Props = { src: string; name: string; size: 'panel' | 'full' };

export function TextPreview({ src, name, size }: Props) {
  const text = useQuery({
    queryKey: ['preview text', src],
    queryFn: ({ signal }) => readStart(src, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const place = useFocusWhenShown(size);
  if (text.error)
    return <Problem error={text.error} onRetry={text.refetch} isRetrying={text.isFetching} />;
  if (!text.data) return <Waiting />;
  if (text.data.text === '')
    return (
      <div className={classes.nothing}>
        <Trans>This file is empty.</Trans>
      </div>
    );
  return (
    <section
      ref={place}
      className={classes.text}
      data-size={size}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys must reach it
      tabIndex={0}
      aria-label={size === 'panel' ? t`Beginning of ${name}` : name}
    >
      {text.data.text}
      {text.data.isCut && `\n\n${onlyTheFirst}`}
    </section>
  );
}

async function readStart(src: string, signal: AbortSignal) {
  const headers = { range: `bytes=0-${most_bytes - 1}` };
  const asked = { method: 'GET', path: src, headers, signal };
  const response = await publicApi.send(asked).catch((error: unknown) => {
    // An empty file has no range at all.
    if (error instanceof ApiError && error.status === 416) return undefined;
    throw error;
  });
  if (!response) return { text: '', isCut: false };
  const whole = Number(response.headers.get('content-range')?.split('/')[1] ?? 0);
  return { text: await response.text(), isCut: whole > most_bytes };
}
