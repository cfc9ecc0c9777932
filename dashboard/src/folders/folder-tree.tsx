/**
 * The folders as a tree, to choose one of them. Folders are loaded when their parent is opened.
 * Arrows walk through the tree, and what has the focus is chosen.
 */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import {
  Loader,
  Tree,
  type TreeNodeData,
  type TreeProps,
  type UseTreeReturnType,
  useTree,
} from '@mantine/core';
import { IconChevronRight, IconDots, IconUsers } from '@tabler/icons-react';
import { type FocusEvent, useEffect, useMemo, useRef } from 'react';
import { nameOfFolder } from '../cogs.ts';
import { LoadingRows, Problem } from '../ui/await.tsx';
import { FileIcon } from '../ui/file-icon.tsx';
import { LongName } from '../ui/long-name.tsx';
import classes from './folder-tree.module.css';
import { type FolderTreeData, type KnownFolders, sharedRoot } from './folder-tree-data.ts';

type Props = {
  data: FolderTreeData;
  onChoose: (folder: Cog | undefined) => void;
  onSubmit: () => void;
  /** The folders in these are not offered. Must be the same set as long as they are. */
  closedIds: ReadonlySet<number>;
};

export function FolderTree({ data, ...props }: Props) {
  if (data.error != null) return <Problem error={data.error} />;
  if (!data.root) return <LoadingRows rows={4} />;
  return <LoadedTree {...props} {...data} root={data.root} />;
}

type LoadedProps = Omit<Props, 'data'> & FolderTreeData & { root: Cog };

function LoadedTree(props: LoadedProps) {
  const { root, path, known, load, closedIds, onChoose, onSubmit, created } = props;
  const nodes = useMemo(() => nodesOf(root, known, closedIds), [root, known, closedIds]);
  const startId = path.at(-1) ?? root.id;
  const place = useRef<HTMLUListElement>(null);
  const folders = new Map(
    [root, ...Object.values(known).flatMap((one) => one?.folders ?? [])].map((cog) => [
      String(cog.id),
      cog,
    ]),
  );
  const tree = useTree({
    initialExpandedState: Object.fromEntries(path.map((id) => [String(id), true])),
    initialSelectedState: [String(startId)],
    onLoadChildren: async (value) => {
      await load(Number(value));
    },
  });
  const choose = (value: string) => {
    const [, parent] = /^more:(\d+)$/.exec(value) ?? [];
    tree.setSelectedState([value]);
    onChoose(folders.get(value));
    if (parent === undefined) return;
    void load(Number(parent)).then(([first]) => first && focusOn(place.current, first.id));
  };
  const focus = (event: FocusEvent<HTMLElement>) => {
    const value = event.target.closest<HTMLElement>('[role="treeitem"]')?.dataset.value;
    if (value !== undefined && !tree.selectedState.includes(value)) choose(value);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once at first, and for what is created
  useEffect(() => {
    if (created?.parent_id !== undefined) tree.expand(String(created.parent_id));
    const id = created?.id ?? startId;
    focusOn(place.current, id);
    choose(String(id));
  }, [created]);

  return (
    <Tree
      ref={place}
      className={classes.tree ?? ''}
      aria-label={t`Folders`}
      data={nodes}
      tree={tree}
      levelOffset={20}
      expandOnClick={false}
      selectOnClick
      allowRangeSelection={false}
      onFocus={focus}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        onSubmit();
      }}
      renderNode={(payload) => <FolderNode {...payload} tree={tree} />}
    />
  );
}

/** After the page has rendered it. */
function focusOn(tree: HTMLElement | null, id: number) {
  setTimeout(() => {
    const item = tree?.querySelector<HTMLElement>(`[role="treeitem"][data-value="${id}"]`);
    item?.focus();
    item?.scrollIntoView({ block: 'nearest' });
  });
}

function nodesOf(root: Cog, known: KnownFolders, closedIds: ReadonlySet<number>): TreeNodeData[] {
  const node = (cog: Cog): TreeNodeData => {
    const children = closedIds.has(cog.id) ? [] : known[cog.id] && childrenOf(cog.id, known, node);
    return {
      value: String(cog.id),
      label: nameOfFolder(cog),
      hasChildren: children === undefined,
      ...(children && { children }),
    };
  };
  const shared = childrenOf(sharedRoot, known, node);
  return [
    node(root),
    ...(shared.length > 0
      ? [{ value: sharedRoot, label: t`Shared with me`, children: shared }]
      : []),
  ];
}

function childrenOf(
  id: number | typeof sharedRoot,
  known: KnownFolders,
  node: (cog: Cog) => TreeNodeData,
): TreeNodeData[] {
  const { folders = [], cursor } = known[id] ?? {};
  const more = cursor === undefined ? [] : [{ value: `more:${id}`, label: t`More folders` }];
  return [...folders.map(node), ...more];
}

type NodeProps = Parameters<NonNullable<TreeProps['renderNode']>>[0] & { tree: UseTreeReturnType };

function FolderNode({ node, expanded, hasChildren, isLoading, elementProps, tree }: NodeProps) {
  return (
    <div {...elementProps} className={`${elementProps.className} ${classes.node}`}>
      <button
        type="button"
        className={classes.chevron}
        data-open={expanded || undefined}
        // Screen readers and keys open a folder by the keys of the tree.
        aria-hidden
        tabIndex={-1}
        onClick={(event) => {
          event.stopPropagation();
          tree.toggleExpanded(node.value);
        }}
      >
        {isLoading ? (
          <Loader size={12} />
        ) : (
          hasChildren && <IconChevronRight size={15} stroke={2.2} />
        )}
      </button>
      <NodeIcon value={node.value} />
      <span className={classes.name}>
        <LongName name={String(node.label)} />
      </span>
    </div>
  );
}

function NodeIcon({ value }: { value: string }) {
  if (value === sharedRoot) return <IconUsers size={18} aria-hidden color="var(--faint)" />;
  if (value.startsWith('more')) return <IconDots size={18} aria-hidden />;
  return <FileIcon isFolder size={18} />;
}
