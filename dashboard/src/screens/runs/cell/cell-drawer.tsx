/** One step for one file: what happened, when, from what, with its log; and a way to do it again. */
import type { NodeRun, WorkflowVersion as Version } from '@cogworks/sdk/contract.gen';
import { isTerminal, type Moment } from '@cogworks/sdk/runs';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { CloseButton, Drawer, Text, Title } from '@mantine/core';
import { useLog } from '../../../log/use-log.ts';
import type { RunNews } from '../../../run-news.ts';
import { Await, LoadingRows } from '../../../ui/await.tsx';
import { LongName } from '../../../ui/long-name.tsx';
import { useReturnFocus } from '../../../ui/return-focus.ts';
import { Status } from '../../../ui/status.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { useTakeFocus } from '../../../ui/take-focus.ts';
import { useIsTopmost } from '../../../ui/topmost.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { Attempts } from './attempts.tsx';
import classes from './cell.module.css';
import { CellFacts } from './cell-facts.tsx';
import { placeOfCell } from './cell-key.ts';
import { CellLog } from './cell-log.tsx';
import { CellOutputs } from './cell-outputs.tsx';
import { Happened } from './happened.tsx';
import { useFileOf, useNodeRun } from './queries.ts';
import { RetryCell } from './retry-cell.tsx';

type Props = {
  cell: string;
  moment: Moment;
  version: Version;
  news: RunNews;
  onClose: () => void;
};

export function CellDrawer(props: Props) {
  const { cell, version, onClose } = props;
  const place = placeOfCell(cell);
  const node = version.graph.nodes.find(({ key }) => key === place.node_key);
  const title = node?.title || place.node_key;
  const isTopmost = useIsTopmost(true);
  useReturnFocus(true);
  const last = useTakeFocus(true, onClose);
  return (
    <Drawer.Root
      opened
      onClose={onClose}
      closeOnEscape={isTopmost}
      returnFocus={false}
      position="right"
      size={620}
    >
      <Drawer.Overlay backgroundOpacity={0.25} />
      <Drawer.Content aria-label={title}>
        <CellContent key={cell} {...props} title={title} place={place} />
        <span ref={last} hidden />
      </Drawer.Content>
    </Drawer.Root>
  );
}

type ContentProps = Props & { title: string; place: ReturnType<typeof placeOfCell> };

function CellContent({ moment, version, news, onClose, title, place }: ContentProps) {
  const { run } = moment;
  const query = useNodeRun(run.id, place, news);
  const file = useFileOf(run, place, query.data?.cog_id);
  const step = query.data ?? undefined;
  return (
    <div className={classes.drawer}>
      <div className={classes.header}>
        <div className={classes.heading}>
          <Title order={2} className={classes.title}>
            {title}
          </Title>
          {file && (
            <div className={classes.file}>
              <LongName name={visibleText(file.name)} />
            </div>
          )}
        </div>
        {step && <Status status={step.status} />}
        {step?.cached && (
          <Tag>
            <Trans>Reused</Trans>
          </Tag>
        )}
        <CloseButton aria-label={t`Close`} onClick={onClose} />
      </div>
      <Await query={query} loading={<LoadingRows rows={4} />}>
        {(found) =>
          found ? (
            <Known step={found} {...{ moment, version, news, file }} />
          ) : (
            <Text size="sm" c="var(--faint)">
              <Trans>This step has no work here yet.</Trans>
            </Text>
          )
        }
      </Await>
    </div>
  );
}

type KnownProps = Pick<Props, 'moment' | 'version' | 'news'> & {
  step: NodeRun;
  file: ReturnType<typeof useFileOf>;
};

function Known({ step, moment: { run }, version, news, file }: KnownProps) {
  const log = useLog(run.id, step, news);
  return (
    <>
      <Happened step={step} run={run} version={version} file={file} log={log} />
      {isTerminal(run.status) && step.status !== 'failure' && (
        <RetryCell step={step} run={run} version={version} file={file} />
      )}
      <Attempts step={step} />
      <CellFacts step={step} run={run} file={file} />
      <CellOutputs step={step} run={run} />
      {step.attempt > 0 && <CellLog step={step} log={log} />}
    </>
  );
}
