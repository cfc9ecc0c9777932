// biome-ignore-all lint/a11y/useSemanticElements: a table has no rows and columns that are left out
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and names its cell
/** The heads of a grid's columns: the steps, how many of their files failed, and a bar of all. */

import type { GridNode } from '@cogworks/sdk/contract.gen';
import { Trans } from '@lingui/react/macro';
import { memo } from 'react';
import { type Counts, noteOf, sharesOf } from '../run-status.ts';
import classes from './grid.module.css';
import type { Column } from './grid-row.tsx';

type Props = {
  nodes: readonly GridNode[];
  titles: ReadonlyMap<string, string>;
  /** How many files of a step are how, by its key. */
  counts: ReadonlyMap<string, Counts | undefined>;
  columns: readonly Column[];
  width: number;
  isUpright: boolean;
};

export const Head = memo(function Head(props: Props) {
  const { nodes, titles, counts, columns, width, isUpright } = props;
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={classes.head}
      data-upright={isUpright || undefined}
      style={{ width }}
    >
      <div role="columnheader" aria-colindex={1} className={classes.corner}>
        <Trans>File</Trans>
      </div>
      {columns.map(({ index, start, size }) => {
        const node = nodes[index];
        const title = titles.get(node?.node_key ?? '') ?? node?.node_key;
        return (
          <div
            key={index}
            role="columnheader"
            aria-colindex={index + 2}
            className={classes.step}
            data-upright={isUpright || undefined}
            style={{ left: start, width: size }}
            title={title}
          >
            <span className={classes.title}>{title}</span>
            {node?.group !== undefined && <Bar counts={counts.get(node.node_key)} />}
          </div>
        );
      })}
    </div>
  );
});

/** The graph above tells the same in words. */
function Bar({ counts }: { counts: Counts | undefined }) {
  return (
    <span className={classes.bar} title={noteOf(counts)} aria-hidden>
      {sharesOf(counts ?? {}).map(({ status, share }) => (
        <i key={status} data-status={status} style={{ width: `${share * 100}%` }} />
      ))}
    </span>
  );
}
