/** Above a log: finding, following, wrapping, copying and saving. */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core';
import {
  IconAlertCircle,
  IconArrowDown,
  IconArrowUp,
  IconCheck,
  IconCopy,
  IconDownload,
  IconFilter,
  IconPlayerTrackNext,
  IconTextWrap,
} from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import { copyText } from '../copy-text.ts';
import { saveBlob } from '../downloads.ts';
import { FindField } from '../ui/find-field.tsx';
import { formatCount, formatSize } from '../ui/format.ts';
import classes from './log.module.css';
import type { LogClient } from './log-client.ts';
import type { Found } from './use-found.ts';

type Props = {
  log: LogClient;
  name: string;
  query: string;
  found: Found | undefined;
  isFiltered: boolean;
  isWrapped: boolean;
  isFollowing: boolean;
  isRunning: boolean;
  onQuery: (query: string) => void;
  onGo: (line: number) => void;
  onFilter: (isFiltered: boolean) => void;
  onWrap: (isWrapped: boolean) => void;
  onFollow: (isFollowing: boolean) => void;
};

/** More is no use in a clipboard. */
const mostCopied_bytes = 20 * 1024 * 1024;

export function LogTools(props: Props) {
  const { log, query, found, onQuery, onGo } = props;
  const move = (step: 1 | -1) => {
    const line = found?.onMove(step);
    if (line !== undefined) onGo(line);
  };
  const byKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter') move(event.shiftKey ? -1 : 1);
    if (event.key === 'Escape' && query !== '') {
      // Else the drawer closes.
      event.stopPropagation();
      onQuery('');
    }
  };
  useFirstFound(found, onGo);
  const count = found?.numbers.length ?? 0;
  return (
    <div className={classes.tools}>
      <FindField
        className={classes.search}
        placeholder={t`Find in the log`}
        label={t`Find in the log`}
        clearLabel={t`Find nothing`}
        value={query}
        onChange={onQuery}
        onKeyDown={byKey}
      />
      {found && (
        <Group gap={2} wrap="nowrap">
          <Text size="xs" c="var(--faint)" className="figures" role="status">
            {count === 0
              ? t`In no line`
              : plural(count, {
                  one: `${formatCount(found.at + 1)} of # line`,
                  other: `${formatCount(found.at + 1)} of # lines`,
                })}
          </Text>
          <Tool label={t`Previous line found`} onClick={() => move(-1)}>
            <IconArrowUp size={16} />
          </Tool>
          <Tool label={t`Next line found`} onClick={() => move(1)}>
            <IconArrowDown size={16} />
          </Tool>
          <Tool
            label={t`Only the lines found`}
            isPressed={props.isFiltered}
            onClick={() => props.onFilter(!props.isFiltered)}
          >
            <IconFilter size={16} />
          </Tool>
        </Group>
      )}
      <Text size="xs" c="var(--faint)" className={`figures ${classes.size}`}>
        {plural(log.state.lines, { one: '# line', other: '# lines' })} ·{' '}
        {formatSize(log.state.bytes)}
      </Text>
      <LineTools {...props} />
    </div>
  );
}

function LineTools(props: Props) {
  const { log, name, found, isFiltered, isRunning, isFollowing, isWrapped } = props;
  const { firstError, bytes } = log.state;
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    const text = await log.text(isFiltered ? found?.numbers : undefined);
    setCopied(await copyText(text));
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <Group gap={2} wrap="nowrap">
      {firstError !== undefined && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="red"
          leftSection={<IconAlertCircle size={14} />}
          onClick={() => props.onGo(firstError)}
        >
          <Trans>First error</Trans>
        </Button>
      )}
      {isRunning && (
        <Tool
          label={t`Follow the end`}
          isPressed={isFollowing}
          onClick={() => props.onFollow(!isFollowing)}
        >
          <IconPlayerTrackNext size={16} style={{ transform: 'rotate(90deg)' }} />
        </Tool>
      )}
      <Tool
        label={t`Wrap long lines`}
        isPressed={isWrapped}
        onClick={() => props.onWrap(!isWrapped)}
      >
        <IconTextWrap size={16} />
      </Tool>
      {bytes <= mostCopied_bytes && (
        <Tool label={isCopied ? t`Copied` : t`Copy the log`} onClick={() => void copy()}>
          {isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </Tool>
      )}
      <Tool
        label={t`Save the log`}
        onClick={() => void log.blob().then((blob) => saveBlob(blob, `${name}.log`))}
      >
        <IconDownload size={16} />
      </Tool>
    </Group>
  );
}

type ToolProps = {
  label: string;
  isPressed?: boolean;
  onClick: () => void;
  children: ReactNode;
};

const Tool = ({ label, isPressed, onClick, children }: ToolProps) => (
  <Tooltip label={label}>
    <ActionIcon
      size="sm"
      aria-label={label}
      aria-pressed={isPressed}
      variant={isPressed ? 'light' : 'subtle'}
      color={isPressed ? 'petrol' : 'gray'}
      onClick={onClick}
    >
      {children}
    </ActionIcon>
  </Tooltip>
);

/** Another text is shown where it is first. */
function useFirstFound(found: Found | undefined, onGo: (line: number) => void) {
  const query = found?.query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each text
  useEffect(() => {
    const first = found?.numbers[0];
    if (first !== undefined) onGo(first);
  }, [query]);
}
