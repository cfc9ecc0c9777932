/** The number of a run, which leads to it. */
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import table from './table.module.css';

type Props = {
  id: number;
  /** Opens a tab of its own, where this page would lose what it shows. */
  isApart?: boolean;
};

export const RunLink = ({ id, isApart = false }: Props) => (
  <Link
    to="/runs/$runId"
    params={{ runId: String(id) }}
    className={table.link}
    style={{ whiteSpace: 'nowrap' }}
    {...(isApart && { target: '_blank' })}
  >
    <Trans>Run #{id}</Trans>
  </Link>
);
