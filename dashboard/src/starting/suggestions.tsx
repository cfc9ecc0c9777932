/** What could be made of some files: workflows and templates that take them. */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { IconPlayerPlay, IconSitemap, IconTemplate } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { withRunFiles } from '../run-files.ts';
import { LoadingRows, Problem } from '../ui/await.tsx';
import { formatCount } from '../ui/format.ts';
import { type Fitting, fittingOf, type GivenFile } from './fitting.ts';
import { useOffers } from './offers.ts';
import classes from './starting.module.css';
import { useTemplateStart } from './templates.ts';

const mostShown = 4;

type Props = {
  files: readonly GivenFile[];
  /** Files are still on their way. */
  isWaiting?: boolean;
};

export function Suggestions({ files, isWaiting = false }: Props) {
  const { offers, isLoading, error } = useOffers();
  const [isAll, setAll] = useState(false);
  const start = useTemplateStart();
  const navigate = useNavigate();
  if (isLoading) return <LoadingRows rows={2} />;
  const fitting = fittingOf(offers, files);
  if (error != null && fitting.length === 0) return <Problem error={error} />;
  if (fitting.length === 0) {
    return (
      <Text size="sm" c="var(--faint)">
        <Trans>No workflow or template takes such files yet.</Trans>
      </Text>
    );
  }
  const run = (offer: Fitting) => {
    if (offer.kind === 'template') return start.mutate({ template: offer, cog_ids: offer.fits });
    const { search, state } = withRunFiles(offer.fits);
    void navigate({ to: '/runs/new', search: { ...search, workflow: offer.id }, state });
  };
  const startedId = start.isPending || start.isSuccess ? start.variables?.template.id : undefined;
  return (
    <>
      {start.error != null && <Problem error={start.error} title={t`The run did not start`} />}
      <ul className={classes.offers}>
        {fitting.slice(0, isAll ? undefined : mostShown).map((offer) => (
          <li key={`${offer.kind} ${offer.id}`} className={classes.offer}>
            {offer.kind === 'workflow' ? (
              <IconSitemap size={20} stroke={1.6} aria-hidden />
            ) : (
              <IconTemplate size={20} stroke={1.6} aria-hidden />
            )}
            <div className={classes.about}>
              <b>{offer.name}</b>
              <span>{offer.description}</span>
            </div>
            <Button
              size="sm"
              variant="light"
              leftSection={<IconPlayerPlay size={15} />}
              disabled={isWaiting || (startedId !== undefined && startedId !== offer.id)}
              loading={offer.kind === 'template' && startedId === offer.id}
              aria-label={`${verbOf(offer, files)}: ${offer.name}`}
              onClick={() => run(offer)}
            >
              {verbOf(offer, files)}
            </Button>
          </li>
        ))}
      </ul>
      {fitting.length > mostShown && !isAll && (
        <Button size="compact-sm" variant="subtle" mt={6} onClick={() => setAll(true)}>
          <Trans>Show {formatCount(fitting.length - mostShown)} more</Trans>
        </Button>
      )}
    </>
  );
}

/** A workflow asks more before it starts. */
const verbOf = ({ kind, fits }: Fitting, files: readonly GivenFile[]) =>
  `${runOn(fits.length, files.length)}${kind === 'workflow' ? '…' : ''}`;

function runOn(count: number, all: number): string {
  if (count < all) {
    const some = formatCount(count);
    return plural(all, { one: `Run on ${some} of # file`, other: `Run on ${some} of # files` });
  }
  if (all === 1) return t`Run on this file`;
  return plural(all, { one: 'Run on all # file', other: 'Run on all # files' });
}
