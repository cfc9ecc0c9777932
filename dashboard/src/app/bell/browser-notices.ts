/** Notices of the browser when a run ends while nobody looks at the page. Asked for by a click only. */
import { t } from '@lingui/core/macro';
import { useCallback, useEffect, useState } from 'react';
import { statusLabel } from '../../ui/status.tsx';
import type { EndedRun } from './ended-runs.ts';

const key = 'cogworks.run-notices';
const lock = 'cogworks.run-notices';

type State = NotificationPermission | 'unknown';

/** Not on plain HTTP from another machine, where browsers have none. */
const permission = (): State =>
  'Notification' in window && isSecureContext ? Notification.permission : 'unknown';

export function useBrowserNotices() {
  const [state, setState] = useState<State>(permission);
  const [isWanted, setWanted] = useState(() => localStorage.getItem(key) === 'on');
  const isOn = state === 'granted' && isWanted;
  const isFirst = useIsFirstTab(isOn);
  const turn = (on: boolean) => {
    setWanted(on);
    localStorage.setItem(key, on ? 'on' : 'off');
  };
  const show = useCallback(
    (run: EndedRun) => {
      if (!isOn || !isFirst || document.visibilityState === 'visible') return;
      try {
        showNotice(run);
      } catch {
        // Browsers of phones have notices of service workers alone. The list tells it too.
      }
    },
    [isOn, isFirst],
  );
  const ask = async () => {
    setState(await Notification.requestPermission());
    turn(true);
  };
  return { state, isOn, ask, turn, show, isFirst };
}

function showNotice(run: EndedRun): void {
  const notice = new Notification(t`Run #${run.id}: ${statusLabel(run.status)}`, {
    body: run.error_message ?? t`It has ended.`,
    tag: `cogworks.run.${run.id}`,
  });
  notice.onclick = () => {
    window.focus();
    location.assign(`/app/runs/${run.id}`);
  };
}

/** Of all tabs one follows runs while it is hidden: each stream takes one of few connections. */
function useIsFirstTab(isWanted: boolean): boolean {
  const [isFirst, setFirst] = useState(false);
  useEffect(() => {
    if (!isWanted || !navigator.locks) return;
    const gone = new AbortController();
    const untilGone = () =>
      new Promise<void>((resolve) => {
        setFirst(true);
        gone.signal.addEventListener('abort', () => {
          setFirst(false);
          resolve();
        });
      });
    navigator.locks.request(lock, { signal: gone.signal }, untilGone).catch(() => {});
    return () => gone.abort();
  }, [isWanted]);
  return isFirst;
}
