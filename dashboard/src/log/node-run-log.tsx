/** The log of a node run, loaded with its viewer when one is shown: few visits to a page open one. */
import { lazy, Suspense } from 'react';
import { LoadingRows } from '../ui/await.tsx';
import type { OpenedLogProps } from './opened-log.tsx';

const OpenedLog = lazy(async () => ({ default: (await import('./opened-log.tsx')).OpenedLog }));

export const NodeRunLog = (props: OpenedLogProps) => (
  <Suspense fallback={<LoadingRows rows={2} />}>
    <OpenedLog {...props} />
  </Suspense>
);
