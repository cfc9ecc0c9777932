/**
 * Sends bytes and reports progress. In browsers `fetch` reports no upload progress, so
 * XMLHttpRequest is used; in Node the body is a stream that counts its bytes.
 */
import { FileChanged } from './errors.ts';
import { watchSilence } from './silence.ts';

export type BytesRequest = {
  method: 'POST' | 'PUT';
  url: string;
  headers: Record<string, string>;
  bytes: Blob;
  /** The part of `bytes` that is a file's; all of it unless given. */
  file?: Blob | undefined;
  onProgress?: ((sent_bytes: number) => void) | undefined;
  /** After this long without progress, or without an answer to all bytes, it fails. */
  silence_ms: number;
  signal?: AbortSignal | undefined;
};

export type BytesAnswer = { status: number; text: string; header(name: string): string | null };

/**
 * @throws TypeError if there was no answer, or nothing moved; FileChanged if the bytes could not be read; the signal's
 *   reason if it was aborted.
 */
export async function sendBytes(request: BytesRequest): Promise<BytesAnswer> {
  const Xhr = (globalThis as { XMLHttpRequest?: new () => XhrLike }).XMLHttpRequest;
  const watch = watchSilence(request.silence_ms, request.signal);
  const onProgress = (sent_bytes: number) => {
    watch.moved();
    request.onProgress?.(sent_bytes);
  };
  const watched = { ...request, onProgress, signal: watch.signal };
  try {
    return await (Xhr ? sendByXhr(new Xhr(), watched) : sendByFetch(watched));
  } catch (error) {
    request.signal?.throwIfAborted();
    throw (await isReadable(request.file ?? request.bytes))
      ? error
      : new FileChanged({ cause: error });
  } finally {
    watch.end();
  }
}

type Watched = BytesRequest & { onProgress: (sent_bytes: number) => void; signal: AbortSignal };

/** Both browsers and Node report a file that cannot be read like a failing network. */
const isReadable = (bytes: Blob): Promise<boolean> =>
  bytes
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );

/** The part of XMLHttpRequest used here; Node has no types for it. */
type XhrLike = {
  upload: { onprogress: ((event: { loaded: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  status: number;
  responseText: string;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: Blob): void;
  abort(): void;
};

function sendByXhr(xhr: XhrLike, request: Watched): Promise<BytesAnswer> {
  const { method, url, headers, bytes, onProgress, signal } = request;
  return new Promise<BytesAnswer>((resolve, reject) => {
    signal.throwIfAborted();
    const abort = () => xhr.abort();
    const end = (settle: () => void) => () => {
      signal.removeEventListener('abort', abort);
      settle();
    };
    xhr.onload = end(() =>
      resolve({
        status: xhr.status,
        text: xhr.responseText,
        header: (name) => xhr.getResponseHeader(name),
      }),
    );
    xhr.onerror = end(() => reject(new TypeError('The network failed during the upload.')));
    xhr.onabort = end(() => reject(signal.reason ?? new TypeError('The upload was aborted.')));
    xhr.upload.onprogress = ({ loaded }) => onProgress(loaded);

    xhr.open(method, url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    signal.addEventListener('abort', abort, { once: true });
    xhr.send(bytes);
  });
}

async function sendByFetch(request: Watched): Promise<BytesAnswer> {
  const { method, url, headers, bytes, onProgress, signal } = request;
  const ended = new AbortController();
  try {
    const response = await fetch(url, {
      method,
      // A stream has no length of its own, and storages refuse parts without one.
      headers: { ...headers, 'content-length': String(bytes.size) },
      body: counted(bytes, onProgress, ended.signal),
      ...{ duplex: 'half', signal },
    } as RequestInit);
    return {
      status: response.status,
      text: await response.text(),
      header: (name) => response.headers.get(name),
    };
  } finally {
    // A failed request leaves the stream as it is, with its file open.
    ended.abort();
  }
}

/** Counts nothing any more once the signal aborts. */
function counted(bytes: Blob, onProgress: (sent_bytes: number) => void, signal: AbortSignal) {
  let sent = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (signal.aborted) return;
      sent += chunk.byteLength;
      controller.enqueue(chunk);
      onProgress(sent);
    },
  });
  return bytes.stream().pipeThrough(counter, { signal });
}
