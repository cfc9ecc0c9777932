/** What a template needs before its workflow can run: what is there, what is missing, where to get it. */
import type { Me, TemplateRequirement } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Loader, Text, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconForms } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { isBuilding } from '../../starting/readiness.ts';
import classes from './templates.module.css';

type Props = { requirements: readonly TemplateRequirement[]; me: Me | undefined };

export function Requirements({ requirements, me }: Props) {
  if (requirements.length === 0) {
    return (
      <Text size="sm" c="var(--faint)">
        <Trans>It needs nothing.</Trans>
      </Text>
    );
  }
  return (
    <ul className={classes.needs}>
      {requirements.map((one) => (
        <li key={`${one.kind} ${one.name}`} className={classes.need} data-met={one.is_met}>
          {isBuilding(one) ? <Loader size={16} mt={3} /> : <Mark is_met={one.is_met} />}
          <div>
            {one.message} {one.is_met === false && <Remedy kind={one.kind} me={me} />}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Mark({ is_met }: Pick<TemplateRequirement, 'is_met'>) {
  const [Icon, words] =
    is_met === undefined
      ? ([IconForms, t`Given at the start:`] as const)
      : is_met
        ? ([IconCircleCheck, t`There:`] as const)
        : ([IconAlertTriangle, t`Missing:`] as const);
  return (
    <span>
      <Icon size={18} stroke={1.8} aria-hidden />
      <VisuallyHidden>{words}</VisuallyHidden>
    </span>
  );
}

/** Where an administrator provides it. */
const remedies: Partial<
  Record<string, { to: '/settings/secrets' | '/settings/workers'; words: string }>
> = {
  registry: { to: '/settings/secrets', words: t`Add the secret` },
  secret: { to: '/settings/secrets', words: t`Add the secret` },
  egress: { to: '/settings/workers', words: t`See the workers` },
  resources: { to: '/settings/workers', words: t`See the workers` },
};

function Remedy({ kind, me }: { kind: string; me: Me | undefined }) {
  const remedy = remedies[kind];
  if (!remedy || me?.role !== 'admin') return null;
  return <Link to={remedy.to}>{remedy.words}</Link>;
}
