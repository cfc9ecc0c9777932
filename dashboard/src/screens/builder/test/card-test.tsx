/** Below a card: what the last test showed of the step, and its first file. */
import type { RunFile } from '@cogworks/sdk/contract.gen';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api.ts';
import { Tile } from '../../../preview/picture.tsx';
import { FileIcon } from '../../../ui/file-icon.tsx';
import { outcomeOf } from './outcome.ts';
import classes from './test.module.css';
import { useTested, useTester, useTestState } from './testing.ts';

export function CardTest({ nodeKey }: { nodeKey: string }) {
  const tester = useTester();
  const shown = useTested(nodeKey);
  if (!tester || !shown) return null;
  const { tested, isStale } = shown;
  const { status, words, detail } = outcomeOf(tested.runs, isStale);
  const [output] = tested.runs.flatMap(({ outputs }) => outputs);
  return (
    <button
      type="button"
      // Reached by the key of the card, like its ports.
      tabIndex={-1}
      className={`${classes.strip} nodrag`}
      data-status={status}
      data-stale={isStale}
      title={`${words}. ${detail}`}
      onClick={() => tester.store.set({ shown: nodeKey })}
    >
      <span className={classes.dot} aria-hidden />
      <span className={classes.words}>
        <strong>{words}</strong> {detail}
      </span>
      {output && <Thumb checksum={output.checksum_sha256} type={output.media_type} />}
    </button>
  );
}

/** Drawn if a test has made a file of this content; else its kind. */
function Thumb({ checksum, type }: { checksum: string; type: string }) {
  const file = useTestState(({ files }) => files.get(checksum));
  return (
    <span className={classes.thumb}>
      {file ? <FileTile file={file} /> : <FileIcon isFolder={false} mime_type={type} size={18} />}
    </span>
  );
}

function FileTile({ file }: { file: RunFile }) {
  const cog = useCogOf(file);
  return cog ? <Tile cog={cog} /> : null;
}

export const useCogOf = ({ cog_id }: RunFile) =>
  useQuery({ queryKey: ['cog', cog_id], queryFn: () => api.getCog({ path: { id: cog_id } }) }).data;
