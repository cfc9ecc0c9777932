/** The first run: templates as cards, each of which runs on samples by one press. */
import type { WorkflowTemplate } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPlayerPlay, IconTemplate, IconUpload } from '@tabler/icons-react';
import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { ReadinessLine } from '../../starting/card-readiness.tsx';
import { FirstSteps } from '../../starting/first-steps-list.tsx';
import { beginFirstSteps } from '../../starting/first-steps-memory.ts';
import { bySpeed, readinessOf } from '../../starting/readiness.ts';
import { SampleList } from '../../starting/sample-list.tsx';
import {
  type TemplateSummary,
  templateQuery,
  useSamplesStart,
  useTemplates,
} from '../../starting/templates.ts';
import { Await, LoadingRows, Problem } from '../../ui/await.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import cards from '../../ui/cards.module.css';
import { Empty } from '../../ui/empty.tsx';
import { GraphPicture } from '../../ui/graph-picture.tsx';
import { Screen } from '../../ui/screen.tsx';
import classes from './templates.module.css';

export function StartScreen() {
  const templates = useTemplates();
  useEffect(beginFirstSteps, []);
  return (
    <Screen
      title={t`Try it on samples`}
      description={t`Choose a template. A few small files are copied into your folder “Samples”, and the workflow runs on them. You watch every step.`}
      actions={
        <ButtonLink to="/files" variant="default" leftSection={<IconUpload size={17} />}>
          <Trans>Use my own files</Trans>
        </ButtonLink>
      }
    >
      <FirstSteps />
      <Await query={templates}>{(rows) => <Cards all={rows} />}</Await>
    </Screen>
  );
}

function Cards({ all }: { all: readonly TemplateSummary[] }) {
  const rows = useMemo(() => all.filter(({ samples = [] }) => samples.length > 0), [all]);
  const details = useQueries({ queries: rows.map(({ id }) => templateQuery(id)) });
  const start = useSamplesStart();
  const detailOf = (id: number) => details[rows.findIndex((row) => row.id === id)];
  const isKnown = details.every(({ data, error }) => data || error);
  // biome-ignore lint/correctness/useExhaustiveDependencies: cards stay where they are, whatever gets ready meanwhile
  const shown = useMemo(
    () =>
      bySpeed(rows, (id) => {
        const requirements = detailOf(id)?.data?.requirements;
        return requirements && readinessOf(requirements).state;
      }),
    [rows, isKnown],
  );
  if (rows.length === 0) return <NoSamples />;
  if (!isKnown) return <LoadingRows />;
  return (
    <>
      {start.error != null && <Problem error={start.error} title={t`The run did not start`} />}
      <ul className={cards.cards}>
        {shown.map((template) => (
          <StartCard
            key={template.id}
            template={template}
            detail={detailOf(template.id)}
            start={start}
          />
        ))}
      </ul>
    </>
  );
}

type CardProps = {
  template: TemplateSummary;
  detail: UseQueryResult<WorkflowTemplate> | undefined;
  start: ReturnType<typeof useSamplesStart>;
};

function StartCard({ template, detail, start }: CardProps) {
  const { id, name, description, samples = [], shape } = template;
  const requirements = detail?.data?.requirements;
  const readiness = requirements && readinessOf(requirements);
  return (
    <li className={cards.card}>
      <span className={classes.picture}>{shape && <GraphPicture shape={shape} />}</span>
      <div className={`${cards.words} ${classes.samplesOf}`}>
        <Link
          to="/workflows/templates/$templateId"
          params={{ templateId: String(id) }}
          className={cards.name}
        >
          {name}
        </Link>
        <span className={cards.description}>{description}</span>
        <SampleList samples={samples} />
        <div className={classes.ready}>
          {requirements && <ReadinessLine requirements={requirements} />}
        </div>
        <Button
          fullWidth
          variant={readiness?.state === 'missing' ? 'default' : 'light'}
          leftSection={<IconPlayerPlay size={16} />}
          loading={start.isPending && start.startedId === id}
          disabled={!readiness?.may_start || (start.isPending && start.startedId !== id)}
          onClick={() => start.run(template)}
          aria-label={t`Run on samples: ${name}`}
        >
          <Trans>Run on samples</Trans>
        </Button>
      </div>
    </li>
  );
}

const NoSamples = () => (
  <Empty
    icon={<IconTemplate size={30} stroke={1.5} />}
    title={t`There are no samples here`}
    action={
      <ButtonLink to="/files">
        <Trans>Go to your files</Trans>
      </ButtonLink>
    }
  >
    <Trans>
      The templates of this installation bring none. Upload files of your own, choose them, and
      press “Run workflow…”.
    </Trans>
  </Empty>
);
