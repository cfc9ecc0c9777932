/** An input of the workflow: where the files of a run come in. */
import { t } from '@lingui/core/macro';
import { IconLogin2 } from '@tabler/icons-react';
import { Handle, type NodeProps, Position } from '@xyflow/react';
import { memo } from 'react';
import { inputSize } from '../layout/geometry.ts';
import { shortTypes } from '../media-words.ts';
import classes from './cards.module.css';
import { type FlowNode, outPort } from './flow.ts';
import { familyOfTypes } from './media.ts';
import ports from './ports.module.css';
import { useIsReadable } from './readable.ts';

type Props = NodeProps<Extract<FlowNode, { type: 'source' }>>;

export const InputCard = memo(function InputCard({ id, data, selected }: Props) {
  const isReadable = useIsReadable();
  const { input, isCurrent } = data;
  const { name } = input;
  const types = shortTypes(input.media_types);
  return (
    <div className={classes.input} data-selected={selected} style={inputSize}>
      {isReadable ? (
        <>
          <IconLogin2 size={16} aria-hidden />
          <button
            type="button"
            className={classes.title}
            tabIndex={isCurrent ? 0 : -1}
            data-card={id}
            aria-pressed={selected}
            aria-label={t`Input ${name}, ${types}`}
            title={name}
          >
            {name}
          </button>
          <span className={ports.portType}>{types}</span>
          <Handle
            id={outPort('')}
            type="source"
            position={Position.Right}
            className={ports.handle}
            data-family={familyOfTypes(input.media_types)}
            data-many
            title={`${name}: ${input.media_types?.join(', ') || t`any file`}`}
          />
        </>
      ) : (
        <span className={classes.title}>{name}</span>
      )}
    </div>
  );
});
