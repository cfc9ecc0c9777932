/** The samples of a template, and which of them are damaged on purpose. */
import type { TemplateSample } from '@cogworks/sdk/contract.gen';
import { FileIcon } from '../ui/file-icon.tsx';
import classes from './starting.module.css';

export const SampleList = ({ samples }: { samples: readonly TemplateSample[] }) => (
  <ul className={classes.samples} aria-label="Samples">
    {samples.map(({ name, media_type, is_damaged }) => (
      <li key={name} className={classes.sample}>
        <FileIcon isFolder={false} mime_type={media_type} size={16} />
        <span className={classes.name}>{name}</span>
        {is_damaged && <span className={classes.damaged}>damaged on purpose</span>}
      </li>
    ))}
  </ul>
);
