/** Connects the editor of a draft with the service, this browser's journal and other tabs. */
import type { RunsEvent } from '@cogworks/sdk/run-events';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { api } from '../../../api.ts';
import { asContract, asGraph } from '../../../contract-graph.ts';
import { useTenantNews } from '../../../tenant-news.ts';
import type { Editor } from '../editor.ts';
import { type Base, forget, type Kept, keptOf, openJournal } from './journal.ts';
import { DraftSaver } from './saver.ts';
import { joinTabs } from './tabs.ts';

export type Draft = {
  saver: DraftSaver;
  /** What tabs that are gone have not saved. */
  found: readonly Kept[];
  bringBack: (kept: Kept) => void;
  discard: (kept: Kept) => void;
};

type Opened = { version: number; base: Base; user: number };

/** @param opened undefined while the draft may not be changed. */
export function useDraft(editor: Editor, opened: Opened | undefined): Draft | undefined {
  const client = useQueryClient();
  const [saver, setSaver] = useState<DraftSaver>();
  const [found, setFound] = useState<readonly Kept[]>([]);
  const { version, user } = opened ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: the base is that of the first look
  useEffect(() => {
    if (!opened) return;
    const gone = new AbortController();
    const onSaved = () => void client.invalidateQueries({ queryKey: ['versions'] });
    let own: DraftSaver | undefined;
    void begin(editor, opened, gone.signal, onSaved).then((begun) => {
      if (!begun) return;
      own = begun.saver;
      setSaver(own);
      setFound(begun.found);
    });
    return () => {
      gone.abort();
      setSaver(undefined);
      void own?.flush().finally(() => own?.close());
    };
  }, [editor, version, user]);
  const readAgain = useCallback(
    () => void client.invalidateQueries({ queryKey: ['opened-version', version] }),
    [client, version],
  );
  useNews(saver, { version, user }, readAgain);
  useWarning(saver);

  const without = (kept: Kept) => setFound((all) => all.filter((one) => one !== kept));
  const drop = (kept: Kept) => {
    without(kept);
    if (opened) void forget({ user: opened.user, version: opened.version, tab: kept.tab });
  };
  const bringBack = (kept: Kept) => {
    saver?.adopt(kept);
    drop(kept);
  };
  return saver && { saver, found, discard: drop, bringBack };
}

async function begin(editor: Editor, opened: Opened, signal: AbortSignal, onSaved: () => void) {
  const { version, base, user } = opened;
  const tabs = await joinTabs();
  signal.addEventListener('abort', () => tabs.close());
  const kept = await keptOf({ user, version }).catch(() => []);
  const unsaved = kept.filter(({ steps }) => steps.length > 0);
  const isElsewhere = unsaved.some(({ tab }) => tab !== tabs.tab);
  const alive = isElsewhere ? await tabs.others() : new Set<string>();
  if (signal.aborted) return undefined;
  const saver = new DraftSaver({
    editor,
    base,
    journal: openJournal({ user, version, tab: tabs.tab }),
    save: (graph, etag) => saveDraft(version, graph, etag),
    read: () => readDraft(version),
    onSaved: (etag) => {
      if (!signal.aborted) tabs.tellSaved(version, etag);
      onSaved();
    },
  });
  tabs.onSaved((other, etag) => {
    if (other === version && saver.told(etag, user)) void saver.pull();
  });
  const own = unsaved.find(({ tab }) => tab === tabs.tab);
  if (own) saver.adopt(own);
  const found = unsaved.filter(({ tab }) => tab !== tabs.tab && !alive.has(tab));
  return { saver, found };
}

/** What this tab, or one that is gone, has not saved of a version that is no draft any more. */
export async function leftOf(place: { user: number; version: number }): Promise<Kept[]> {
  const kept = await keptOf(place).catch(() => []);
  const unsaved = kept.filter(({ steps }) => steps.length > 0);
  if (unsaved.length === 0) return [];
  const tabs = await joinTabs();
  const alive = await tabs.others();
  tabs.close();
  return unsaved.filter(({ tab }) => tab === tabs.tab || !alive.has(tab));
}

async function saveDraft(version_id: number, graph: Base['graph'], etag: string) {
  const { headers } = await api.call('changeWorkflowVersion', {
    path: { version_id },
    body: { graph: asContract(graph) },
    headers: { 'if-match': etag },
    attempts: 1,
  });
  return { etag: headers.get('etag') ?? '' };
}

async function readDraft(version_id: number) {
  const { answer, headers } = await api.call('getWorkflowVersion', { path: { version_id } });
  const { graph, state } = answer;
  return { graph: asGraph(graph), state, etag: headers.get('etag') ?? '' };
}

/** The browser asks before it closes a tab whose edits are nowhere else. */
function useWarning(saver: DraftSaver | undefined) {
  useEffect(() => {
    const onLeave = (event: BeforeUnloadEvent) => {
      if (saver?.isAtRisk) event.preventDefault();
    };
    addEventListener('beforeunload', onLeave);
    return () => removeEventListener('beforeunload', onLeave);
  }, [saver]);
}

/** What others do while this is open: by events, and by a look when the page is seen again. */
function useNews(
  saver: DraftSaver | undefined,
  { version, user }: { version?: number | undefined; user?: number | undefined },
  onEnd: () => void,
) {
  const isAbout = useCallback(
    ({ event, data }: RunsEvent) => {
      if (event !== 'version' || data.id !== version || !saver) return false;
      const isNew = saver.told(data.etag, data.changed_by);
      // Published or archived by somebody else. Who has something unsaved is told that it cannot be saved any more.
      if (data.state !== 'draft' && data.changed_by !== user)
        void saver.flush().then((isSaved) => isSaved && onEnd());
      return isNew;
    },
    [saver, version, user, onEnd],
  );
  const pull = useCallback(() => void saver?.pull(), [saver]);
  useTenantNews(isAbout, pull);
  useEffect(() => {
    if (!saver) return;
    const onSeen = () => {
      if (document.visibilityState === 'visible') pull();
    };
    const onOnline = () => saver.retry();
    document.addEventListener('visibilitychange', onSeen);
    addEventListener('online', onOnline);
    return () => {
      document.removeEventListener('visibilitychange', onSeen);
      removeEventListener('online', onOnline);
    };
  }, [saver, pull]);
}
