/** Below a card: what the last test showed of the step, and its first file. */
import type { RunFile } from '@cogworks/sdk/contract.gen';
import { useCog } from '../../../preview/cog-preview.tsx';
import { Tile } from '../../../preview/picture.tsx';
import { FileIcon } from '../../../ui/file-icon.tsx';
import classes from './test.module.css';
import { type Shown, useOutcome, useTested, useTester, useTestState } from './testing.ts';

export function CardTest({ nodeKey }: { nodeKey: string }) {
  const shown = useTested(nodeKey);
  return shown ? <Strip nodeKey={nodeKey} shown={shown} /> : null;
}

function Strip({ nodeKey, shown }: { nodeKey: string; shown: Shown }) {
  const tester = useTester();
  const { status, words, detail, isStale, areGone } = useOutcome(shown);
  if (!tester) return null;
  const { tested } = shown;
  const [output] = tested.runs.flatMap(({ outputs }) => outputs);
  return (
    <button
      type="button"
      // Reached by the key of the card, like its ports.
      tabIndex={-1}
      className={`${classes.toned} ${classes.strip} nodrag`}
      data-status={status}
      data-stale={isStale}
      title={`${words}. ${detail}`}
      onClick={() => tester.store.set({ shown: nodeKey })}
    >
      <span className={classes.dot} aria-hidden />
      <span className={classes.words}>
        <strong>{words}</strong> {detail}
      </span>
      {output && !areGone && <Thumb checksum={output.checksum_sha256} type={output.media_type} />}
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
  const { data: cog } = useCog(file.cog_id);
  return cog ? <Tile cog={cog} /> : null;
}
