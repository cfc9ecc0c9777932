/** Tabs of one browser that edit the same drafts: who is there, and what was saved. */
type Message =
  | { type: 'who'; from: string }
  | { type: 'here'; from: string }
  | { type: 'saved'; version: number; etag: string; from: string };

/** Long enough for a tab that is busy, short enough for opening a draft. */
const patience_ms = 150;

export type Tabs = {
  /** The name of this tab, the same after a reload. */
  tab: string;
  /** The other tabs that are open. */
  others(): Promise<Set<string>>;
  tellSaved(version: number, etag: string): void;
  onSaved(listener: (version: number, etag: string) => void): () => void;
  close(): void;
};

const key = 'cogworks.tab';
const randomName = () => crypto.getRandomValues(new Uint32Array(2)).join('-');

export async function joinTabs(): Promise<Tabs> {
  const channel = new BroadcastChannel('cogworks-drafts');
  const visit = randomName();
  const named = sessionStorage.getItem(key);
  let tab = named ?? randomName();
  const here = new Set<string>();
  const listeners = new Set<(version: number, etag: string) => void>();
  const send = (message: Message) => channel.postMessage(message);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.type === 'who') send({ type: 'here', from: tab });
    if (data.type === 'here') here.add(data.from);
    if (data.type === 'saved') for (const listener of listeners) listener(data.version, data.etag);
  };
  const others = async () => {
    here.clear();
    send({ type: 'who', from: visit });
    await new Promise((done) => setTimeout(done, patience_ms));
    return new Set(here);
  };
  // A tab that was duplicated has the name of the other one.
  if (named !== null && (await others()).has(tab)) tab = randomName();
  sessionStorage.setItem(key, tab);
  return {
    tab,
    others,
    tellSaved: (version, etag) => send({ type: 'saved', version, etag, from: tab }),
    onSaved(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => channel.close(),
  };
}
