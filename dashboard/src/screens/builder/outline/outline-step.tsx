/** A step in the list: what it is called, what it takes, how often it runs, and what can be done with it. */
import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { ActionIcon, Menu } from '@mantine/core';
import {
  IconAlertTriangle,
  IconArrowDown,
  IconArrowUp,
  IconBoxAlignTopLeft,
  IconClipboardCopy,
  IconCopy,
  IconDots,
  IconFlask,
  IconGitFork,
  IconPlayerPlay,
  IconPlugConnected,
  IconPlus,
  IconSelect,
  IconSettings,
  IconStack2,
  IconTrash,
} from '@tabler/icons-react';
import { memo, type ReactNode } from 'react';
import { useEditorState } from '../editor.ts';
import { TestLine } from '../test/test-line.tsx';
import { useTester, useTestState } from '../test/testing.ts';
import classes from './outline.module.css';
import type { OutlineRow } from './outline-rows.ts';
import type { StepAction } from './step-action.ts';

type Props = {
  row: OutlineRow;
  isFirst: boolean;
  isLast: boolean;
  isSelected: boolean;
  isReadOnly: boolean;
  onAction: (key: string, action: StepAction) => void;
};

export const OutlineStep = memo(
  function OutlineStep({ row, isFirst, isLast, isSelected, isReadOnly, onAction }: Props) {
    const { key, title, kind, takes, times, isMapped, hasCondition, frames, faults } = row;
    const act = (action: StepAction) => onAction(key, action);
    const isTested = useTestState(({ tested }) => tested.has(key));
    const testId = `test-of-${key}`;
    return (
      <li className={classes.row} data-selected={isSelected || undefined}>
        <button
          type="button"
          className={classes.step}
          data-step={key}
          aria-pressed={isSelected}
          aria-describedby={isTested ? testId : undefined}
          // By keyboard it has no pointer to count, and leads on into the settings.
          onClick={({ detail, ctrlKey, metaKey, shiftKey }) => {
            const isAlso = ctrlKey || metaKey || shiftKey;
            act({ type: isAlso ? 'select' : detail === 0 ? 'settings' : 'open' });
          }}
        >
          <span className={classes.dot} data-mapped={isMapped || undefined} aria-hidden>
            {isMapped && <IconStack2 size={13} />}
          </span>
          <span className={classes.words}>
            <span className={classes.title}>{title}</span>
            <span className={classes.line}>
              {kind && <span className={classes.kind}>{kind} · </span>}
              {takes}
            </span>
            <span className={classes.line}>
              {times}
              {hasCondition && (
                <span>
                  {' · '}
                  <IconGitFork size={12} aria-hidden /> <Trans>with a condition</Trans>
                </span>
              )}
            </span>
            {frames && (
              <span className={classes.line}>
                <IconBoxAlignTopLeft size={12} aria-hidden /> {frames}
              </span>
            )}
            {faults > 0 && (
              <span className={classes.fault}>
                <IconAlertTriangle size={14} aria-hidden />{' '}
                <Plural value={faults} one="# fault" other="# faults" />
              </span>
            )}
          </span>
        </button>
        <TestLine id={testId} nodeKey={key} title={title} onOpen={() => act({ type: 'results' })} />
        {!isReadOnly && (
          <span className={classes.tools}>
            <ActionIcon
              size={32}
              aria-label={t`Add a step after ${title}`}
              onClick={() => act({ type: 'add' })}
            >
              <IconPlus size={18} />
            </ActionIcon>
            <StepMenu {...{ row, isFirst, isLast, isSelected, act }} />
          </span>
        )}
      </li>
    );
  },
  (before, after) =>
    before.isFirst === after.isFirst &&
    before.isLast === after.isLast &&
    before.isSelected === after.isSelected &&
    before.isReadOnly === after.isReadOnly &&
    before.onAction === after.onAction &&
    JSON.stringify(before.row) === JSON.stringify(after.row),
);

type MenuProps = {
  row: OutlineRow;
  isFirst: boolean;
  isLast: boolean;
  isSelected: boolean;
  act: (action: StepAction) => void;
};

/** No higher than there is room for in the list. */
const fitting = { flip: true, shift: true, size: true };

function StepMenu({ row: { key, title }, isFirst, isLast, isSelected, act }: MenuProps) {
  return (
    <Menu width={250} middlewares={fitting}>
      <Menu.Target>
        <ActionIcon size={32} aria-label={t`Actions for ${title}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu ?? ''}>
        <Item icon={<IconSettings size={16} />} onClick={() => act({ type: 'settings' })}>
          <Trans>Settings</Trans>
        </Item>
        <Tests nodeKey={key} act={act} />
        <Item icon={<IconPlus size={16} />} onClick={() => act({ type: 'add' })}>
          <Trans>Add a step after it</Trans>
        </Item>
        <Connections nodeKey={key} act={act} />
        <Item icon={<IconCopy size={16} />} onClick={() => act({ type: 'duplicate' })}>
          <Trans>Duplicate</Trans>
        </Item>
        <Item icon={<IconClipboardCopy size={16} />} onClick={() => act({ type: 'copy' })}>
          <Trans>Copy</Trans>
        </Item>
        <Item icon={<IconSelect size={16} />} onClick={() => act({ type: 'select' })}>
          {isSelected ? t`Leave out of what is selected` : t`Select`}
        </Item>
        <Item icon={<IconBoxAlignTopLeft size={16} />} onClick={() => act({ type: 'frames' })}>
          <Trans>Frames…</Trans>
        </Item>
        {!isFirst && (
          <Item icon={<IconArrowUp size={16} />} onClick={() => act({ type: 'up' })}>
            <Trans>Move up</Trans>
          </Item>
        )}
        {!isLast && (
          <Item icon={<IconArrowDown size={16} />} onClick={() => act({ type: 'down' })}>
            <Trans>Move down</Trans>
          </Item>
        )}
        <Item icon={<IconTrash size={16} />} onClick={() => act({ type: 'delete' })}>
          <Trans>Delete</Trans>
        </Item>
      </Menu.Dropdown>
    </Menu>
  );
}

type ItemProps = { icon: ReactNode; onClick: () => void; children: ReactNode };

const Item = ({ icon, onClick, children }: ItemProps) => (
  <Menu.Item leftSection={icon} onClick={onClick}>
    {children}
  </Menu.Item>
);

function Tests({ nodeKey, act }: { nodeKey: string; act: MenuProps['act'] }) {
  const isTested = useTestState(({ tested }) => tested.has(nodeKey));
  if (!useTester()) return null;
  return (
    <>
      <Item icon={<IconPlayerPlay size={16} />} onClick={() => act({ type: 'test' })}>
        <Trans>Test up to this step</Trans>
      </Item>
      {isTested && (
        <Item icon={<IconFlask size={16} />} onClick={() => act({ type: 'results' })}>
          <Trans>Results of the test</Trans>
        </Item>
      )}
    </>
  );
}

/** One item for each port; only drawn while the menu is open. */
function Connections({ nodeKey, act }: { nodeKey: string; act: MenuProps['act'] }) {
  const definition = useEditorState(({ graph, definitions }) =>
    definitions.get(graph.nodes.find(({ key }) => key === nodeKey)?.node_definition_id ?? 0),
  );
  return (
    <>
      {definition?.inputs.map(({ name, title }) => (
        <Item
          key={`in ${name}`}
          icon={<IconPlugConnected size={16} />}
          onClick={() => act({ type: 'connect-to', to: { node: nodeKey, port: name } })}
        >
          {t`Choose what ${title || name} takes`}
        </Item>
      ))}
      {definition?.outputs.map(({ name }) => (
        <Item
          key={`out ${name}`}
          icon={<IconPlugConnected size={16} />}
          onClick={() => act({ type: 'connect-from', from: { node: nodeKey, port: name } })}
        >
          <Trans>Connect {name} to …</Trans>
        </Item>
      ))}
    </>
  );
}
