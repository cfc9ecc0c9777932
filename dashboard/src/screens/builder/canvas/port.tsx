/** One port of a card: a dot to draw wires from and to, its name, and what files it takes. */
import type { Cardinality } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { Handle, Position } from '@xyflow/react';
import { shortTypes } from '../media-words.ts';
import { useStored } from '../store.ts';
import { useCanvasView } from './canvas-context.ts';
import { inPort, outPort } from './flow.ts';
import { familyOfTypes } from './media.ts';
import classes from './ports.module.css';
import { portKey } from './verdicts.ts';

type Props = {
  card: string;
  side: 'in' | 'out';
  name: string;
  title: string;
  types: readonly string[] | undefined;
  cardinality: Cardinality;
  top: number;
};

const counts: Record<Cardinality, string> = {
  one: t`one file`,
  many: t`any number of files`,
  optional: t`a file or none`,
};

export function Port({ card, side, name, title, types, cardinality, top }: Props) {
  const view = useCanvasView();
  const handle = side === 'in' ? inPort(name) : outPort(name);
  const says = useStored(view, ({ drawing }) => {
    if (!drawing) return undefined;
    const verdict = drawing.verdicts.get(portKey({ card, handle }));
    if (verdict) return verdict.ok ? 'takes' : 'refuses';
    const isStart = drawing.start.card === card && drawing.start.handle === handle;
    return isStart ? 'start' : 'aside';
  });
  const kind = shortTypes(types);
  const many = cardinality === 'many' ? ' ×n' : cardinality === 'optional' ? '?' : '';
  return (
    <div className={classes.port} data-side={side} data-says={says} style={{ top }}>
      <Handle
        id={handle}
        type={side === 'in' ? 'target' : 'source'}
        position={side === 'in' ? Position.Left : Position.Right}
        className={classes.handle}
        data-family={familyOfTypes(types)}
        data-many={cardinality === 'many'}
        title={`${title}: ${types?.join(', ') || t`any file`}, ${counts[cardinality]}`}
      />
      <span className={classes.portName}>{name}</span>
      <span className={classes.portType}>{`${kind}${many}`}</span>
    </div>
  );
}
