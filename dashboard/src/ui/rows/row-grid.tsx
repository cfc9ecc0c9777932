/**
 * The same list as pictures in lines: keys, menus, dragging and choosing as in the table. Only the
 * lines near what is in view are rendered.
 */
import { Checkbox, Loader, Menu } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { Fragment, type MouseEvent, type ReactNode, useRef, useState } from 'react';
import { ActionItems } from './action-items.tsx';
import { MenuButton } from './menu-button.tsx';
import { type RowDrag, useRowDrag } from './row-drag.ts';
import classes from './row-grid.module.css';
import { indexOf, type Keyed, useRowKeys } from './row-keys.ts';
import { type More, useVirtualRows } from './virtual-rows.ts';

type Props<Row, Kind extends string> = Keyed<Row, Kind> &
  More & {
    label: string;
    drag?: RowDrag<Row>;
    picture: (row: Row) => ReactNode;
    name: (row: Row, onOpen: () => void) => ReactNode;
  };

/** Of a tile, with the space between two; as in the style sheet. */
const tile = { width: 172, height: 196 };

export function RowGrid<Row extends { id: number; name: string }, Kind extends string>(
  props: Props<Row, Kind>,
) {
  const { label, rows, selected, actions, onAction, onOpen, drag, hasMore, picture, name } = props;
  const { ref: sized, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  const columns = Math.max(2, Math.floor((width || 960) / tile.width));
  const lines = Math.ceil(rows.length / columns);
  const keys = useRowKeys(props, columns);
  const current = Math.min(keys.current, rows.length - 1);
  const shown = useVirtualRows(
    { place, count: lines, current: Math.floor(current / columns), height: tile.height },
    props,
  );
  const { over, ...dragProps } = useRowDrag(rows, keys.chosenWith, drag);
  const [forMenu, setForMenu] = useState<readonly Row[]>([]);
  const chooseForMenu = ({ target }: MouseEvent) => {
    const row = rows[indexOf(target)];
    if (row) setForMenu(keys.chosenWith(row));
  };
  return (
    <>
      <Menu position="bottom-start">
        <Menu.ContextMenu>
          {/* biome-ignore lint/a11y/useSemanticElements: a table cannot have as many columns as fit */}
          <div
            role="grid"
            aria-label={label}
            aria-multiselectable
            aria-rowcount={hasMore ? -1 : lines}
            aria-colcount={columns}
            tabIndex={-1}
            ref={useMergedRef(sized, place)}
            className={classes.grid}
            onContextMenu={chooseForMenu}
            onClick={keys.onClick}
            onKeyDown={keys.onKeyDown}
            onFocus={keys.onFocus}
            {...dragProps}
          >
            {shown.items.map(({ index: line, gap }) => (
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
                      row={row}
                      index={line * columns + nth}
                      isSelected={selected.has(row.id)}
                      isCurrent={line * columns + nth === current}
                      isOver={over === row.id}
                      isDraggable={drag !== undefined}
                      onToggle={keys.toggle}
                      picture={picture(row)}
                      name={name(row, () => onOpen(row))}
                    />
                  ))}
                </div>
              </Fragment>
            ))}
            <Gap height={shown.rest} />
          </div>
        </Menu.ContextMenu>
        <Menu.Dropdown>
          <ActionItems actions={actions} rows={forMenu} onAction={onAction} />
        </Menu.Dropdown>
      </Menu>
      <div className={classes.more}>
        {props.isLoadingMore && <Loader size="xs" aria-label="Loading more" />}
      </div>
    </>
  );
}

const Gap = ({ height }: { height: number }) =>
  height > 0 && <div aria-hidden style={{ height }} />;

type TileProps<Row> = {
  row: Row;
  index: number;
  isSelected: boolean;
  isCurrent: boolean;
  isOver: boolean;
  isDraggable: boolean;
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
      aria-selected={isSelected}
    >
      <div className={classes.picture}>{picture}</div>
      <Checkbox
        className={classes.box}
        size="xs"
        tabIndex={-1}
        aria-label={`Choose ${row.name}`}
        checked={isSelected}
        onChange={(event) =>
          onToggle(index, (event.nativeEvent as unknown as globalThis.MouseEvent).shiftKey)
        }
      />
      <div className={classes.foot}>
        <div className={classes.name}>{name}</div>
        <MenuButton name={row.name} />
      </div>
    </div>
  );
}
