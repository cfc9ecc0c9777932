/** The frame of the builder: header, palette, drawing or list, inspector, and a sheet below. */
import type { Workflow, WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { LoadingRows } from '../../ui/await.tsx';
import {
  type BuilderPanel,
  type BuilderView,
  useBuilderAddress,
  useSetAddress,
} from './address.ts';
import classes from './builder.module.css';
import { BuilderHeader } from './builder-header.tsx';
import { useEditor, useEditorState } from './editor.ts';
import { useEditorKeys } from './keys.ts';
import { useIsNarrow } from './narrow.ts';
import { PanelDrawer } from './panel-drawer.tsx';

const Canvas = lazy(async () => ({ default: (await import('./canvas/canvas.tsx')).Canvas }));
const Outline = lazy(async () => ({ default: (await import('./outline/outline.tsx')).Outline }));
const Palette = lazy(async () => ({ default: (await import('./palette/palette.tsx')).Palette }));
const Inspector = lazy(async () => ({
  default: (await import('./inspector/inspector.tsx')).Inspector,
}));
const FaultsPanel = lazy(async () => ({
  default: (await import('./faults/faults-panel.tsx')).FaultsPanel,
}));
const Validation = lazy(async () => ({
  default: (await import('./faults/validation.tsx')).Validation,
}));
const VersionsPanel = lazy(async () => ({
  default: (await import('./versions/versions-panel.tsx')).VersionsPanel,
}));
const Comparison = lazy(async () => ({
  default: (await import('./versions/comparison.tsx')).Comparison,
}));
const History = lazy(async () => ({ default: (await import('./versions/history.tsx')).History }));

type Props = {
  workflow: Workflow;
  version: WorkflowVersion;
  mayChange: boolean;
  /** Lines above the drawing. */
  notices: ReactNode;
};

export function BuilderFrame({ workflow, version, mayChange, notices }: Props) {
  const { view, panel, from } = useBuilderAddress();
  const isNarrow = useIsNarrow();
  const shown = view ?? (isNarrow ? 'outline' : 'canvas');
  useEditorKeys();
  useShownNode();
  const { name } = workflow;
  useEffect(() => {
    document.title = `${name} · Cogworks`;
  }, [name]);
  return (
    <main className={classes.builder}>
      <BuilderHeader workflow={workflow} version={version} view={shown} isNarrow={isNarrow} />
      {notices}
      <div className={classes.body}>
        {from === undefined ? (
          <Editing
            view={shown}
            isNarrow={isNarrow}
            rightPanel={
              panel === 'versions' ? (
                <VersionsPanel workflow={workflow} version={version} mayChange={mayChange} />
              ) : undefined
            }
          />
        ) : (
          <Suspense fallback={<LoadingRows />}>
            <Comparison key={from} from={Number(from)} version={version} />
          </Suspense>
        )}
      </div>
      <Suspense>
        <Validation />
      </Suspense>
    </main>
  );
}

type EditingProps = { view: BuilderView; isNarrow: boolean; rightPanel: ReactNode };

function Editing({ view, isNarrow, rightPanel }: EditingProps) {
  const { panel } = useBuilderAddress();
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  return (
    <>
      {!isReadOnly && (
        <Side label={t`Nodes to add`} side="left" isNarrow={isNarrow} opened={panel === 'palette'}>
          <Palette />
        </Side>
      )}
      <div className={classes.middle}>
        <div className={classes.view}>
          <Suspense fallback={<LoadingRows />}>
            {view === 'canvas' ? <Canvas /> : <Outline />}
          </Suspense>
        </div>
        {panel === 'faults' && (
          <section className={classes.sheet} aria-label={t`Faults`}>
            <Suspense fallback={<LoadingRows rows={3} />}>
              <FaultsPanel />
            </Suspense>
          </section>
        )}
      </div>
      <Side
        label={sideLabels[panel ?? 'inspector'] ?? t`Settings`}
        side="right"
        isNarrow={isNarrow}
        opened={panel !== undefined && panel in sideLabels}
      >
        {/* With nothing selected, the inspector shows the workflow as a whole. */}
        {rightPanel ?? (panel === 'history' ? <History /> : <Inspector />)}
      </Side>
    </>
  );
}

/** The panels on the right. */
const sideLabels: { [Panel in BuilderPanel]?: string } = {
  inspector: t`Settings`,
  history: t`History`,
  versions: t`Versions`,
};

type SideProps = {
  label: string;
  side: 'left' | 'right';
  isNarrow: boolean;
  /** Only where there is no room for it beside the view. */
  opened: boolean;
  children: ReactNode;
};

function Side({ label, side, isNarrow, opened, children }: SideProps) {
  const setAddress = useSetAddress();
  const content = <Suspense fallback={<LoadingRows />}>{children}</Suspense>;
  if (!isNarrow) {
    return (
      <aside className={classes.side} data-side={side} aria-label={label}>
        {content}
      </aside>
    );
  }
  return (
    <PanelDrawer label={label} opened={opened} onClose={() => setAddress({ panel: undefined })}>
      {content}
    </PanelDrawer>
  );
}

/** The address says which node is selected, so that a link leads to it. */
function useShownNode() {
  const editor = useEditor();
  const { node, panel } = useBuilderAddress();
  const setAddress = useSetAddress();
  const selected = useEditorState(({ selection }) => onlyNode(selection));
  const told = useRef(node);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the address of a visit selects
  useEffect(() => {
    if (node !== undefined) editor.select([`node:${node}`]);
  }, [editor]);
  useEffect(() => {
    // What the store holds by now: this may be the effect of the render before the one above.
    const now = onlyNode(editor.getState().selection);
    if (now !== selected || now === told.current) return;
    told.current = now;
    // What was selected is shown where the list was.
    const isCovered = now !== undefined && (panel === 'history' || panel === 'versions');
    setAddress({ node: now, ...(isCovered && { panel: undefined }) }, { replace: true });
  }, [selected, editor, panel, setAddress]);
}

function onlyNode(selection: ReadonlySet<string>): string | undefined {
  const [id] = selection;
  return selection.size === 1 && id?.startsWith('node:') ? id.slice('node:'.length) : undefined;
}
