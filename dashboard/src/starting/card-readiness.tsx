/** Whether a template can run now, on its card; asked when the card is seen. */
import type { TemplateRequirement } from '@cogworks/sdk/contract.gen';
import { Loader } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { IconAlertTriangle, IconCircleCheck, IconDownload } from '@tabler/icons-react';
import { type Readiness, readinessOf } from './readiness.ts';
import classes from './starting.module.css';
import { useTemplate } from './templates.ts';

export function CardReadiness({ id }: { id: number }) {
  const { ref, inViewport } = useInViewport<HTMLSpanElement>();
  const { data } = useTemplate(id, inViewport);
  return (
    <span ref={ref} className={classes.place}>
      {data && <ReadinessLine requirements={data.requirements} />}
    </span>
  );
}

type Props = { requirements: readonly TemplateRequirement[] };

export function ReadinessLine({ requirements }: Props) {
  const { state, label, details } = readinessOf(requirements);
  return (
    <span className={classes.readiness} data-state={state}>
      <Mark state={state} />
      <span>
        <b>{label}</b>
        {details[0] !== undefined && <span className={classes.detail}>{details[0]}</span>}
      </span>
    </span>
  );
}

function Mark({ state }: Pick<Readiness, 'state'>) {
  if (state === 'building') return <Loader size={14} mt={2} aria-hidden />;
  const Icon = { ready: IconCircleCheck, later: IconDownload, missing: IconAlertTriangle }[state];
  return <Icon size={16} stroke={1.8} aria-hidden />;
}
