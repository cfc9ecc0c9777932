/** A definition of the catalogue in a list: its title, its name, and what it makes of what. */
import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { IconArrowNarrowRight } from '@tabler/icons-react';
import { fullName, shownName } from '../../../definition-names.ts';
import { shortTypes } from '../media-words.ts';
import { endDragging, startDragging } from './dragging.ts';
import classes from './palette.module.css';

type Props = {
  definition: NodeDefinition;
  isActive?: boolean;
  id?: string;
  isOption?: boolean;
  onAdd: () => void;
};

export function DefinitionRow({
  definition,
  isActive = false,
  id,
  isOption = false,
  onAdd,
}: Props) {
  const { title, description } = definition;
  const content = (
    <>
      <span className={classes.rowTitle}>{title}</span>
      <span className={classes.rowName} title={fullName(definition)}>
        {shownName(definition)}
      </span>
      <span className={classes.rowTypes}>
        {takenBy(definition)}
        <IconArrowNarrowRight
          size={14}
          aria-label={t({ message: 'to', context: 'between kinds of files' })}
        />
        {madeBy(definition)}
      </span>
    </>
  );
  if (isOption) {
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
      <div
        id={id}
        role="option"
        aria-selected={isActive}
        tabIndex={-1}
        className={classes.row}
        data-active={isActive}
        title={description}
        onClick={onAdd}
      >
        {content}
      </div>
    );
  }
  return (
    <button
      type="button"
      className={classes.row}
      title={description}
      draggable
      onDragStart={({ dataTransfer }) => startDragging(dataTransfer, definition)}
      onDragEnd={endDragging}
      onClick={onAdd}
    >
      {content}
    </button>
  );
}

const takenBy = ({ inputs }: NodeDefinition) =>
  inputs.length === 0
    ? t`nothing`
    : shortTypes(inputs.flatMap(({ media_types }) => media_types ?? []));

const madeBy = ({ outputs }: NodeDefinition) =>
  outputs.length === 0
    ? t`nothing`
    : shortTypes(outputs.flatMap(({ media_type }) => media_type ?? []));
