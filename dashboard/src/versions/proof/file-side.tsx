/** One of two files that are compared: what it is, and how it looks. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text, VisuallyHidden } from '@mantine/core';
import { FileLink } from '../../file-link.tsx';
import { CogPreview } from '../../preview/cog-preview.tsx';
import { formatSize } from '../../ui/format.ts';
import { LongName } from '../../ui/long-name.tsx';
import type { Made } from './compare.ts';
import classes from './proof.module.css';

type Props = {
  /** Which version it is of. */
  label: string;
  made: Made | undefined;
  /** Where it is. */
  folder: number | undefined;
};

export function FileSide({ label, made, folder }: Props) {
  return (
    <figure className={classes.side}>
      <figcaption className={classes.caption}>{label}</figcaption>
      {made ? (
        <File label={label} made={made} folder={folder} />
      ) : (
        <Text size="sm" c="var(--faint)">
          <Trans>It makes no such file.</Trans>
        </Text>
      )}
    </figure>
  );
}

function File({ label, made, folder }: Props & { made: Made }) {
  const { name, size_bytes, checksum_sha256, cog_id } = made;
  return (
    <>
      <div className={classes.name}>
        <LongName name={name} />
        <Text size="xs" c="var(--faint)" className="figures" component="span">
          {formatSize(size_bytes)}
        </Text>
      </div>
      <Text size="xs" c="var(--faint)" component="div">
        <Trans>
          SHA-256 <code className={classes.checksum}>{checksum_sha256}</code>
        </Trans>
      </Text>
      {cog_id !== undefined && (
        <>
          <div className={classes.picture}>
            <CogPreview id={cog_id} label={t`${name}, ${label}`} />
          </div>
          {folder !== undefined && (
            <FileLink folder={folder} search={{ preview: cog_id }} isApart>
              <Trans>Open in a new tab</Trans>
              <VisuallyHidden>
                : {name}, {label}
              </VisuallyHidden>
            </FileLink>
          )}
        </>
      )}
    </>
  );
}
