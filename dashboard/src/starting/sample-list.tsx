/** The samples of a template, and which of them are damaged on purpose. */
import type { TemplateSample } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { FileIcon } from '../ui/file-icon.tsx';
import classes from './starting.module.css';

export const SampleList = ({ samples }: { samples: readonly TemplateSample[] }) => (
  <ul className={classes.samples} aria-label={t`Samples`}>
    {samples.map(({ name, media_type, is_damaged }) => (
      <li key={name} className={classes.sample}>
        <FileIcon isFolder={false} mime_type={media_type} size={16} />
        <span className={classes.name}>{name}</span>
        {is_damaged && (
          <span className={classes.damaged}>
            <Trans>damaged on purpose</Trans>
          </span>
        )}
      </li>
    ))}
  </ul>
);
