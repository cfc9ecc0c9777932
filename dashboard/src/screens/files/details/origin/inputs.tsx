/** The files that a result was made from, in the versions that they had. */
import type { Provenance, ProvenanceInput } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { FileIcon } from '../../../../ui/file-icon.tsx';
import { formatCount } from '../../../../ui/format.ts';
import { LongName } from '../../../../ui/long-name.tsx';
import { visibleText } from '../../../../ui/visible-text.ts';
import classes from './origin.module.css';
import { hiddenWords, inputState } from './origin-words.ts';
import { PagedRows } from './paged-rows.tsx';
import { FileLink } from './sentence.tsx';

const few = 5;

export function Inputs({ told }: { told: Provenance }) {
  const { cog_id, version, inputs, inputs_total } = told;
  if (inputs_total === 0) return null;
  return (
    <PagedRows
      queryKey={['provenance', cog_id, version, 'inputs']}
      id="listProvenanceInputs"
      args={{ path: { id: cog_id }, query: { version } }}
      first={inputs.slice(0, few)}
      hasMore={inputs_total > few}
      more={t`Show all ${formatCount(inputs_total)}`}
    >
      {(rows) => <InputRows rows={rows} />}
    </PagedRows>
  );
}

function InputRows({ rows }: { rows: readonly ProvenanceInput[] }) {
  const seen = rows.filter(({ state }) => state !== 'hidden');
  const hidden = rows.length - seen.length;
  const isNamed = new Set(rows.map(({ input_name }) => input_name)).size > 1;
  return (
    <ul className={classes.files} aria-label={t`Made from`}>
      {seen.map((input) => (
        <li key={`${input.input_name} ${input.position}`} className={classes.file}>
          <FileIcon isFolder={false} mime_type={input.media_type} size={17} />
          <div className={classes.fileWords}>
            <InputName input={input} />
            <Text size="xs" c="var(--faint)">
              {isNamed && `${input.input_name} · `}
              {inputState(input)}
            </Text>
          </div>
        </li>
      ))}
      {hidden > 0 && <li className={classes.hidden}>{hiddenWords(hidden, seen.length === 0)}</li>}
    </ul>
  );
}

function InputName({ input: { cog_id, name = t`A file`, state } }: { input: ProvenanceInput }) {
  if (state !== 'available' || cog_id === undefined) return <LongName name={visibleText(name)} />;
  return (
    <FileLink id={cog_id}>
      <LongName name={visibleText(name)} />
    </FileLink>
  );
}
