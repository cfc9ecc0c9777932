/** The results of a node run; those that became files can be opened. */
import type { NodeRun, WorkflowRun as Run } from '@cogworks/sdk/contract.gen';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../../api.ts';
import { FileLink } from '../../../file-link.tsx';
import { FileIcon } from '../../../ui/file-icon.tsx';
import { formatSize } from '../../../ui/format.ts';
import classes from './cell.module.css';

export function CellOutputs({ step, run }: { step: NodeRun; run: Run }) {
  if (step.outputs.length === 0) return null;
  return (
    <section className={classes.section}>
      <h3 className={classes.subtitle}>
        <Trans>Results</Trans>
      </h3>
      <ul className={classes.outputs}>
        {step.outputs.map(({ port, name, size_bytes, media_type, cog_id }) => {
          // The results of a test are removed after a day.
          const file = run.results_removed_at === undefined ? cog_id : undefined;
          return (
            <li key={`${port} ${name}`} className={classes.output}>
              <Thumbnail cogId={file} media_type={media_type} />
              <span>
                {file !== undefined && run.output_folder_id !== undefined ? (
                  <FileLink folder={run.output_folder_id} search={{ preview: file }}>
                    {name}
                  </FileLink>
                ) : (
                  name
                )}
              </span>
              <span className="figures">{formatSize(size_bytes)}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** A small picture where the service draws one. */
function Thumbnail({ cogId, media_type }: { cogId: number | undefined; media_type: string }) {
  const isDrawn = /^(image\/(png|jpeg|gif|webp|avif|bmp)|application\/pdf)/.test(media_type);
  const { data } = useQuery({
    queryKey: ['run-thumbnail', cogId],
    queryFn: async ({ signal }) => {
      const query = { size: 256 as const };
      const answer = await api.previewCog({ path: { id: cogId ?? 0 }, query, signal });
      return answer.status === 200 ? answer.blob() : null;
    },
    enabled: isDrawn && cogId !== undefined,
    retry: false,
    // It is being drawn.
    refetchInterval: ({ state }) =>
      state.data === null && state.dataUpdateCount < 10 ? 2000 : false,
  });
  const [src, setSrc] = useState<string>();
  useEffect(() => {
    if (!data) return;
    const url = URL.createObjectURL(data);
    setSrc(url);
    return () => URL.revokeObjectURL(url);
  }, [data]);
  if (src) return <img src={src} alt="" height={56} style={{ borderRadius: 6 }} />;
  return <FileIcon isFolder={false} mime_type={media_type} />;
}
