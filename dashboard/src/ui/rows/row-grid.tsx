/**
 * The same list as pictures in lines: keys, menus, dragging and choosing as in the table. Only the
 * lines near what is in view are rendered.
 */
import { Menu } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { Fragment, type ReactNode } from 'react';
import { MenuButton } from './menu-button.tsx';
import { RowArea, type RowAreaProps, useRowArea } from './row-area.tsx';
import { RowBox, type RowState } from './row-box.tsx';
import classes from './row-grid.module.css';

type Props<Row, Kind extends string> = RowAreaProps<Row, Kind> & {
  label: string;
  picture: (row: Row) => ReactNode;
  name: (row: Row, onOpen: () => void) => ReactNode;
};

/** Of a tile, with the space between two; as in the style sheet. */
const tile = { width: 172, height: 196 };

export function RowGrid<Row extends { id: number; name: string }, Kind extends string>(
  props: Props<Row, Kind>,
) {
  const { label, rows, onOpen, hasMore, picture, name } = props;
  const { ref: sized, width } = useElementSize();
  const columns = Math.max(2, Math.floor((width || 960) / tile.width));
  const area = useRowArea(props, { columns, height: tile.height });
  return (
    <RowArea {...props} forMenu={area.forMenu}>
      <Menu.ContextMenu>
        {/* biome-ignore lint/a11y/useSemanticElements: a table cannot have as many columns as fit */}
        <div
          role="grid"
          aria-label={label}
          aria-multiselectable
          aria-rowcount={hasMore ? -1 : Math.ceil(rows.length / columns)}
          aria-colcount={columns}
          tabIndex={-1}
          ref={useMergedRef(sized, area.place)}
          className={classes.grid}
          {...area.handlers}
        >
          {area.shown.items.map(({ index: line, gap }) => (
            <Fragment key={line}>
              <Gap height={gap} />
              {/* biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: its cells have the focus */}
              <div
                role="row"
                aria-rowindex={line + 1}
                className={classes.line}
                style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
              >
                {rows.slice(line * columns, (line + 1) * columns).map((row, nth) => (
                  <Tile
                    key={row.id}
                    {...area.stateOf(row, line * columns + nth)}
                    onToggle={area.toggle}
                    picture={picture(row)}
                    name={name(row, () => onOpen(row))}
                  />
                ))}
              </div>
            </Fragment>
          ))}
          <Gap height={area.shown.rest} />
        </div>
      </Menu.ContextMenu>
    </RowArea>
  );
}

const Gap = ({ height }: { height: number }) =>
  height > 0 && <div aria-hidden style={{ height }} />;

type TileProps<Row> = RowState<Row> & {
  onToggle: (index: number, isRange: boolean) => void;
  picture: ReactNode;
  name: ReactNode;
};

function Tile<Row extends { name: string }>(props: TileProps<Row>) {
  const { row, index, isSelected, onToggle, picture, name } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    <div
      role="gridcell"
      className={classes.tile}
      data-index={index}
      tabIndex={props.isCurrent ? 0 : -1}
      draggable={props.isDraggable}
      data-over={props.isOver || undefined}
      aria-current={props.isShown || undefined}
      aria-selected={isSelected}
    >
      <div className={classes.picture}>{picture}</div>
      <RowBox
        className={classes.box}
        row={row}
        index={index}
        isSelected={isSelected}
        onToggle={onToggle}
      />
      <div className={classes.foot}>
        <div className={classes.name}>{name}</div>
        <MenuButton name={row.name} />
      </div>
    </div>
  );
}
