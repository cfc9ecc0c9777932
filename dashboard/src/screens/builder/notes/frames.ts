/** Notes, and which of them are frames around which steps. Pure. */
import { setNote } from '@cogworks/graph/edit/edits';
import type { Graph, GraphNote } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';

/** In characters. */
const mostOfName = 80;

export const isFrame = ({ node_keys }: Pick<GraphNote, 'node_keys'>): boolean =>
  (node_keys?.length ?? 0) > 0;

/** What a note is called in lists: its first line, without the marks of Markdown. */
export function nameOfNote(note: Pick<GraphNote, 'text' | 'node_keys'>): string {
  const line = note.text.split('\n').find((one) => one.trim() !== '') ?? '';
  const words = line
    .replace(/^\s*(#{1,3}|[-*])\s+/, '')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/[*`]/g, '')
    .trim();
  if (words === '') return isFrame(note) ? t`Frame` : t`Note`;
  return words.length > mostOfName ? `${words.slice(0, mostOfName - 1).trimEnd()}…` : words;
}

/** Names of the frames around each step that has some, by its key. */
export function framesOfSteps({ notes = [] }: Pick<Graph, 'notes'>): Map<string, string[]> {
  const frames = new Map<string, string[]>();
  for (const note of notes) {
    for (const key of note.node_keys ?? []) {
      frames.set(key, [...(frames.get(key) ?? []), nameOfNote(note)]);
    }
  }
  return frames;
}

/** The step is in the frames of these ids, and in no others. */
export function inFrames(graph: Graph, key: string, ids: ReadonlySet<string>): Graph {
  return (graph.notes ?? []).reduce((now, { id, node_keys = [] }) => {
    if (node_keys.includes(key) === ids.has(id)) return now;
    const keys = ids.has(id) ? [...node_keys, key] : node_keys.filter((one) => one !== key);
    return setNote(now, id, { node_keys: keys });
  }, graph);
}
