/** In the place of a preview that is loading. */
import { t } from '@lingui/core/macro';
import { Loader } from '@mantine/core';
import classes from './preview.module.css';

export const Waiting = () => (
  <div className={classes.nothing}>
    <Loader size="sm" role="status" aria-label={t`Loading the preview`} />
  </div>
);
