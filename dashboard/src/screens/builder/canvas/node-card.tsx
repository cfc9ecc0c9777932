/** A node on the canvas. Below half size only a box with its title, as nothing else could be read. */
import { plural, t } from '@lingui/core/macro';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { NodeProps } from '@xyflow/react';
import { memo } from 'react';
import { fullName, shownName } from '../../../definition-names.ts';
import { hasFoot, nodeSize, portY } from '../layout/geometry.ts';
import { CardTest } from '../test/card-test.tsx';
import classes from './cards.module.css';
import type { CardData, FlowNode } from './flow.ts';
import { Port } from './port.tsx';
import { useIsReadable } from './readable.ts';

type Props = NodeProps<Extract<FlowNode, { type: 'card' }>>;

export const NodeCard = memo(function NodeCard({ id, data, selected }: Props) {
  const isReadable = useIsReadable();
  const { node, definition, lane, faults, isCurrent } = data;
  const title = node.title || node.key;
  const size = nodeSize(node, definition);
  if (!isReadable) {
    return (
      <div
        className={classes.box}
        data-selected={selected}
        data-faulty={faults > 0}
        data-hue={lane?.hue}
        style={size}
        title={title}
      >
        <span className={classes.boxTitle}>{title}</span>
      </div>
    );
  }
  return (
    <div
      className={classes.card}
      data-selected={selected}
      data-faulty={faults > 0}
      data-mapped={node.map === true}
      data-hue={lane?.hue}
      style={size}
    >
      <div className={classes.head}>
        <button
          type="button"
          className={classes.title}
          tabIndex={isCurrent ? 0 : -1}
          data-card={id}
          aria-pressed={selected}
          aria-label={labelOf(data)}
          title={title}
        >
          {title}
        </button>
        <span className={classes.definition} title={definition && fullName(definition)}>
          {definition ? shownName(definition) : t`Unknown definition`}
        </span>
        {faults > 0 && (
          <span
            className={classes.faults}
            title={plural(faults, { one: '# fault', other: '# faults' })}
          >
            <IconAlertTriangle size={13} aria-hidden />
            {faults}
          </span>
        )}
      </div>
      {definition?.inputs.map((port, index) => (
        <Port
          key={port.name}
          card={id}
          side="in"
          name={port.name}
          title={port.title || port.name}
          types={port.media_types ?? undefined}
          cardinality={port.cardinality}
          top={portY(index)}
        />
      ))}
      {definition?.outputs.map((port, index) => (
        <Port
          key={port.name}
          card={id}
          side="out"
          name={port.name}
          title={port.name}
          types={port.media_type ? [port.media_type] : undefined}
          cardinality={port.cardinality}
          top={portY(index)}
        />
      ))}
      {hasFoot(node) && <Foot data={data} />}
      <CardTest nodeKey={node.key} />
    </div>
  );
});

function Foot({ data: { node, lane } }: { data: CardData }) {
  const text = [node.map && often(lane), conditionOf(node)].filter(Boolean).join(' · ');
  return (
    <div className={classes.foot} title={text}>
      {lane && <span className={classes.letter}>{lane.letter}</span>}
      <span className={classes.footText}>{text}</span>
    </div>
  );
}

function often(lane: CardData['lane']) {
  if (!lane) return t`for each file, but nothing brings files one by one`;
  const { of: source } = lane;
  return t`for each file of ${source}`;
}

const conditionOf = ({ when }: CardData['node']) => (when ? t`when ${when}` : '');

function labelOf({ node, definition, lane, faults }: CardData): string {
  const parts = [
    node.title || node.key,
    definition ? shownName(definition) : t`unknown definition`,
    node.map ? often(lane) : t`once`,
    conditionOf(node),
    faults > 0 ? plural(faults, { one: '# fault', other: '# faults' }) : '',
  ];
  return parts.filter(Boolean).join(', ');
}
