/** Tells when the open run ends: in the page, and by the browser if the page is not in sight. */
import { isTerminal, type Moment } from '@cogworks/sdk/runs';
import { notifications } from '@mantine/notifications';
import { useEffect, useRef } from 'react';
import { tabTitleOf } from './run-status.ts';

const colours = { success: 'petrol', partial_success: 'yellow', failure: 'red' } as const;

/** Only of a run that was seen under way. */
export function useEndNotice(moment: Moment | undefined, name: string | undefined) {
  const wasMoving = useRef(false);
  const isEnded = moment !== undefined && isTerminal(moment.run.status);
  if (moment && !isEnded) wasMoving.current = true;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with what is known then
  useEffect(() => {
    if (!isEnded || !moment || !wasMoving.current) return;
    wasMoving.current = false;
    const { run } = moment;
    if (run.status === 'cancelled' || run.status === 'queued' || run.status === 'running') return;
    const message = tabTitleOf(moment, name ?? 'Run');
    notifications.show({ color: colours[run.status], title: 'The run has ended', message });
    if (document.hidden && 'Notification' in window && Notification.permission === 'granted')
      new Notification('The run has ended', { body: message, tag: `run-${run.id}` });
  }, [isEnded]);
}
