/** The number of a run, which leads to it. */
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import table from './table.module.css';

export const RunLink = ({ id }: { id: number }) => (
  <Link
    to="/runs/$runId"
    params={{ runId: String(id) }}
    className={table.link}
    style={{ whiteSpace: 'nowrap' }}
  >
    <Trans>Run #{id}</Trans>
  </Link>
);
