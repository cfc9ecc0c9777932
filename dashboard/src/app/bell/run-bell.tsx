/** The bell: runs of the user that ended, how many are new, and if allowed a notice of the browser. */
import type { Me } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Popover, Text, VisuallyHidden } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { Status, statusLabel } from '../../ui/status.tsx';
import { When } from '../../ui/when.tsx';
import { useWorkflowNames } from '../../workflows.ts';
import { useBrowserNotices } from './browser-notices.ts';
import type { EndedRun } from './ended-runs.ts';
import { useEndedRuns } from './following.ts';
import classes from './run-bell.module.css';

export function RunBell({ me }: { me: Me }) {
  const nameOf = useWorkflowNames();
  const [said, say] = useState('');
  const notices = useBrowserNotices();
  const { show } = notices;
  const onEnded = useCallback(
    (run: EndedRun) => {
      say(t`Run #${run.id} has ended: ${statusLabel(run.status)}`);
      show(run);
    },
    [show],
  );
  const { runs, unread, seen_ms, see } = useEndedRuns(
    me.id,
    onEnded,
    notices.isOn && notices.isFirst,
  );
  // What was new stays marked as long as the list is open.
  const [opened_ms, setOpened] = useState<number>();
  const toggle = (isOpen: boolean) => {
    setOpened(isOpen ? seen_ms : undefined);
    if (isOpen) see();
  };
  return (
    <>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
      <Popover
        opened={opened_ms !== undefined}
        onChange={toggle}
        position="bottom-start"
        width={340}
        shadow="md"
        withinPortal={false}
        trapFocus
        returnFocus
      >
        <Popover.Target>
          <ActionIcon
            size={36}
            aria-label={unread > 0 ? t`Ended runs, ${unread} new` : t`Ended runs`}
            onClick={() => toggle(opened_ms === undefined)}
          >
            <span className={classes.bell}>
              <IconBell size={19} stroke={1.7} aria-hidden />
              {unread > 0 && <span className={classes.count}>{unread}</span>}
            </span>
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown p={0} aria-label={t`Ended runs`}>
          <div className={classes.head}>
            <Trans>Your runs that ended</Trans>
          </div>
          {runs.length === 0 ? (
            <Text size="sm" c="var(--faint)" px="md" pb="md">
              <Trans>None yet. When a run that you started ends, it is told here.</Trans>
            </Text>
          ) : (
            <ul className={classes.list}>
              {runs.map((run) => (
                <li key={run.id}>
                  <Ended
                    run={run}
                    name={nameOf(run.workflow_id)}
                    isNew={Date.parse(run.finished_at) > (opened_ms ?? 0)}
                    onClose={() => toggle(false)}
                  />
                </li>
              ))}
            </ul>
          )}
          <NoticesChoice notices={notices} />
        </Popover.Dropdown>
      </Popover>
    </>
  );
}

type EndedProps = { run: EndedRun; name: string; isNew: boolean; onClose: () => void };

const Ended = ({ run, name, isNew, onClose }: EndedProps) => (
  <Link
    to="/runs/$runId"
    params={{ runId: String(run.id) }}
    className={classes.run}
    onClick={onClose}
  >
    <span className={classes.name} data-new={isNew}>
      {name} <span className={classes.number}>#{run.id}</span>
      {isNew && (
        <VisuallyHidden>
          , <Trans>new</Trans>
        </VisuallyHidden>
      )}
    </span>
    <span className={classes.facts}>
      <Status status={run.status} />
      <When at={run.finished_at} />
    </span>
  </Link>
);

function NoticesChoice({ notices }: { notices: ReturnType<typeof useBrowserNotices> }) {
  const { state, ask, isOn, turn } = notices;
  if (state === 'unknown') return null;
  return (
    <div className={classes.choice}>
      {state === 'denied' ? (
        t`This browser does not let the page send notices. This list works without them.`
      ) : (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => (state === 'granted' ? turn(!isOn) : void ask())}
        >
          {isOn ? t`Stop notices of the browser` : t`Also tell me by the browser`}
        </Button>
      )}
    </div>
  );
}
