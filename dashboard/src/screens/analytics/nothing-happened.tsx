/** In place of charts without a bar: what will be counted, and how it begins. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconChartBar } from '@tabler/icons-react';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Empty } from '../../ui/empty.tsx';
import type { ReportName } from './view.ts';

const words: Record<ReportName, string> = {
  overview: t`Runs, containers, credits, people and stored bytes are counted here from the first on.`,
  runs: t`Once workflows run, this shows how many succeed, how many fail, and how long they take.`,
  nodes: t`Once workflows run, this shows which of their steps take the time, and which fail.`,
  workers: t`Once workers run containers, this shows how much each of them does, and what fails there.`,
  users: t`This shows how many people sign in, start runs or change something, and who runs most.`,
  storage: t`Once files are uploaded, this shows how what is stored grows.`,
  credits: t`Once containers run, this shows which workflows use how many credits.`,
};

export const NothingHappened = ({ name }: { name: ReportName }) => (
  <Empty
    icon={<IconChartBar size={30} stroke={1.5} />}
    title={t`Nothing happened in this time`}
    action={
      name === 'storage' ? (
        <ButtonLink to="/files" variant="default">
          <Trans>Go to your files</Trans>
        </ButtonLink>
      ) : (
        <ButtonLink to="/workflows" variant="default">
          <Trans>Go to the workflows</Trans>
        </ButtonLink>
      )
    }
  >
    {words[name]} <Trans>Choose a longer range to look further back.</Trans>
  </Empty>
);
