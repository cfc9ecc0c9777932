/**
 * Uploads in parts as a small model in memory, with what matters to them of folders, names, rights
 * and room. It shares no code with the server. A state is a value: calls give a new one.
 */
export type Upload = {
  id: number;
  by: number;
  folder: number;
  name: string;
  size: number;
  partCount: number;
  state: 'open' | 'done' | 'aborted' | 'expired';
  /** The seeds of the bytes that are stored, by number of the part. */
  parts: ReadonlyMap<number, number>;
  /** Whether a confirmation has put the parts together. */
  isTogether: boolean;
  /** Seeds of the bytes of the file, once it is made. */
  content?: readonly number[];
};

export type State = {
  uploads: ReadonlyMap<number, Upload>;
  /** Live folders; those in the trash. */
  folders: ReadonlySet<number>;
  trash: ReadonlySet<number>;
  /** Names in each folder, with the size of the file. */
  names: ReadonlyMap<string, number>;
  /** The folders to which the second user may add. */
  shared: ReadonlySet<number>;
  limit: number;
};

export type Parts = 'all' | 'one too few' | 'wrong etags' | 'backwards';

export type Call =
  | { do: 'initiate'; by: number; folder: number; name: string; size: number; partCount: number }
  | { do: 'put'; upload: number; part: number; seed: number; size: 'right' | 'short' | 'long' }
  | {
      do: 'confirm';
      by: number;
      upload: number;
      parts: Parts;
      /** What the client knows to be stored. */
      listed: ReadonlyMap<number, number>;
      name?: string;
      folder?: number;
    }
  | { do: 'abort'; by: number; upload: number }
  | { do: 'expire' }
  | { do: 'take'; folder: number; name: string }
  | { do: 'delete'; folder: number }
  | { do: 'restore'; folder: number }
  | { do: 'share' }
  | { do: 'revoke' };

export const placeOf = (folder: number, name: string) => `${folder}/${name}`;

/** Bytes of files, and bytes reserved for uploads. */
export function stored({ uploads, names }: State): { used: number; reserved: number } {
  const sum = (sizes: Iterable<number>) => [...sizes].reduce((total, size) => total + size, 0);
  const open = [...uploads.values()].filter(({ state }) => state === 'open');
  return { used: sum(names.values()), reserved: sum(open.map(({ size }) => size)) };
}

/** Why the server must, or may, refuse this call. `owner` may do everything. */
export function verdictOn(state: State, call: Call, owner: number) {
  const must: string[] = [];
  const may: string[] = [];
  const { uploads, folders, trash, names, shared } = state;
  const place = (by: number, folder: number, name: string) => {
    if (!folders.has(folder)) must.push('404');
    else if (by !== owner && !shared.has(folder)) must.push('403');
    if (names.has(placeOf(folder, name))) must.push('409 name_collision');
  };
  const upload = 'upload' in call ? uploads.get(call.upload) : undefined;
  const isOpen = upload?.state === 'open';

  switch (call.do) {
    case 'initiate': {
      place(call.by, call.folder, call.name);
      const { used, reserved } = stored(state);
      if (used + reserved + call.size > state.limit) must.push('403 quota_exceeded');
      break;
    }
    case 'put':
      if (!isOpen || upload.isTogether) must.push('4xx');
      else if (call.size === 'long' || (call.size === 'short' && upload.size > 0)) must.push('4xx');
      break;
    case 'confirm': {
      if (upload?.by !== call.by) must.push('404');
      else if (upload.state === 'done') {
        // The file that was made is answered, if it can still be seen.
        if (!folders.has(upload.folder)) must.push('404');
        else if (call.by !== owner) may.push('403');
      } else if (!isOpen) must.push('409 upload_ended');
      else {
        const isComplete = upload.parts.size === upload.partCount;
        const isListed =
          ['all', 'backwards'].includes(call.parts) &&
          [...upload.parts].every(([part, seed]) => call.listed.get(part) === seed);
        if (!isComplete || !isListed) (upload.isTogether ? may : must).push('409 parts_mismatch');
        place(call.by, call.folder ?? upload.folder, call.name ?? upload.name);
      }
      break;
    }
    case 'abort':
      if (upload?.by !== call.by) must.push('404');
      else if (upload.state === 'done') must.push('409 upload_done');
      break;
    case 'take':
      place(owner, call.folder, call.name);
      // Small, but there may be no room at all.
      if (stored(state).used + stored(state).reserved + 1 > state.limit)
        must.push('403 quota_exceeded');
      break;
    case 'delete':
      if (!folders.has(call.folder)) must.push('404');
      break;
    case 'restore':
      if (!trash.has(call.folder)) must.push('409 not_in_trash');
      break;
    default:
      break;
  }
  return { must, may };
}

/** The state after a call. @param made the id of the new upload. */
export function after(state: State, call: Call, refusal: string | undefined, made = 0): State {
  const uploads = new Map(state.uploads);
  const change = (id: number, changes: Partial<Upload>) => {
    const upload = uploads.get(id);
    if (upload) uploads.set(id, { ...upload, ...changes });
  };
  const upload = 'upload' in call ? uploads.get(call.upload) : undefined;
  const without = (all: ReadonlySet<number>, id: number) =>
    new Set([...all].filter((one) => one !== id));

  if (call.do === 'confirm' && upload?.state === 'open') {
    const mismatch = refusal === '409 parts_mismatch' || upload.by !== call.by;
    if (refusal !== undefined) {
      if (!mismatch && upload.partCount > 1) change(upload.id, { isTogether: true });
      return { ...state, uploads };
    }
    const content = [...upload.parts].sort(([a], [b]) => a - b).map(([, seed]) => seed);
    const [folder, name] = [call.folder ?? upload.folder, call.name ?? upload.name];
    change(upload.id, { state: 'done', content, folder, name });
    return {
      ...state,
      uploads,
      names: new Map(state.names).set(placeOf(folder, name), upload.size),
    };
  }
  if (refusal !== undefined) return state;
  switch (call.do) {
    case 'initiate': {
      const { by, folder, name, size, partCount } = call;
      const fresh = { parts: new Map<number, number>(), isTogether: false, state: 'open' as const };
      return {
        ...state,
        uploads: uploads.set(made, { id: made, by, folder, name, size, partCount, ...fresh }),
      };
    }
    case 'put':
      change(call.upload, { parts: new Map(upload?.parts).set(call.part, call.seed) });
      return { ...state, uploads };
    case 'abort':
      if (upload?.state === 'open') change(call.upload, { state: 'aborted' });
      return { ...state, uploads };
    case 'expire':
      for (const one of uploads.values())
        if (one.state === 'open') change(one.id, { state: 'expired' });
      return { ...state, uploads };
    case 'take':
      return { ...state, names: new Map(state.names).set(placeOf(call.folder, call.name), 1) };
    case 'delete':
      return {
        ...state,
        folders: without(state.folders, call.folder),
        trash: new Set(state.trash).add(call.folder),
        // The grants on it end with it.
        shared: without(state.shared, call.folder),
      };
    case 'restore':
      return {
        ...state,
        folders: new Set(state.folders).add(call.folder),
        trash: without(state.trash, call.folder),
      };
    case 'share':
      return { ...state, shared: state.folders };
    case 'revoke':
      return { ...state, shared: new Set() };
    default:
      return state;
  }
}
