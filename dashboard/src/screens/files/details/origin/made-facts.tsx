/** Exactly what ran: the step, its image and its settings. */
import type { MadeBy } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { useNames } from '../../../../people.ts';
import { Facts } from '../../../../ui/facts.tsx';
import { formatExactly } from '../../../../ui/format.ts';
import classes from './origin.module.css';
import { valueWords } from './origin-words.ts';

export function MadeFacts({ made }: { made: MadeBy }) {
  const nameOf = useNames();
  const settings = Object.entries(made.params);
  return (
    <details className={classes.exactly}>
      <summary>
        <Trans>What ran, exactly</Trans>
      </summary>
      <Facts
        facts={[
          [t`Started by`, nameOf(made.started_by)],
          [t`Started`, formatExactly(made.created_at)],
          [t`Ended`, made.finished_at && formatExactly(made.finished_at)],
          [
            t`Step`,
            <Link
              key="step"
              to="/workflows/catalogue/$definitionId"
              params={{ definitionId: String(made.node_definition_id) }}
            >
              {made.node_definition_name} {made.node_definition_version}
            </Link>,
          ],
          [t`Image`, <code key="image">{made.image}</code>],
          [
            t`Digest`,
            made.digest ? (
              <code key="digest">{made.digest}</code>
            ) : (
              t`Not fixed: only a tag was given`
            ),
          ],
          ...settings.map(([name, value]) => [name, valueWords(value) || t`(empty)`] as const),
        ]}
      />
    </details>
  );
}
