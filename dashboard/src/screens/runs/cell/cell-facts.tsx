/** What a node run was given and who ran it. */
import type { NodeRun, WorkflowRun as Run } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { FileLink } from '../../../file-link.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { formatSize } from '../../../ui/format.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { secretsUsed } from '../secrets-used.ts';
import type { CellFile } from './queries.ts';

type Props = { step: NodeRun; run: Run; file: CellFile | undefined };

export function CellFacts({ step, run, file }: Props) {
  const secrets = secretsUsed(step);
  return (
    <Facts
      facts={[
        [t`Input`, file && <Input key="input" file={file} />],
        [t`Exit code`, step.exit_code],
        [t`Worker`, step.worker_id === undefined ? undefined : `#${step.worker_id}`],
        [t`Secrets`, secrets],
        [
          t`Taken over from`,
          step.cached ? (
            <EarlierRun key="run" id={run.restarted_from_run_id ?? run.reuse_from_run_id} />
          ) : (
            ''
          ),
        ],
      ]}
    />
  );
}

const Input = ({ file }: { file: CellFile }) => (
  <>
    {file.folder === undefined ? (
      visibleText(file.name)
    ) : (
      <FileLink folder={file.folder} search={{ details: file.cog_id }}>
        {visibleText(file.name)}
      </FileLink>
    )}
    {file.size_bytes !== undefined && ` · ${formatSize(file.size_bytes)}`}
  </>
);

const EarlierRun = ({ id }: { id: number | undefined }) =>
  id === undefined ? (
    t`an earlier run`
  ) : (
    <Anchor component={Link} size="sm" to="/runs/$runId" params={{ runId: String(id) } as never}>
      <Trans>run #{id}</Trans>
    </Anchor>
  );
