/**
 * Sends bytes and reports progress. In browsers `fetch` reports no upload progress, so
 * XMLHttpRequest is used; in Node the body is a stream that counts its bytes.
 */

export type BytesRequest = {
  method: 'POST' | 'PUT';
  url: string;
  headers: Record<string, string>;
  bytes: Blob;
  onProgress?: ((sent_bytes: number) => void) | undefined;
  signal?: AbortSignal | undefined;
};

export type BytesAnswer = { status: number; text: string; header(name: string): string | null };

/** @throws TypeError if there was no answer; the signal's reason if it was aborted. */
export function sendBytes(request: BytesRequest): Promise<BytesAnswer> {
  const Xhr = (globalThis as { XMLHttpRequest?: new () => XhrLike }).XMLHttpRequest;
  return Xhr ? sendByXhr(new Xhr(), request) : sendByFetch(request);
}

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

function sendByXhr(xhr: XhrLike, request: BytesRequest): Promise<BytesAnswer> {
  const { method, url, headers, bytes, onProgress, signal } = request;
  return new Promise<BytesAnswer>((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => xhr.abort();
    const end = (settle: () => void) => () => {
      signal?.removeEventListener('abort', abort);
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
    xhr.onabort = end(() => reject(signal?.reason ?? new TypeError('The upload was aborted.')));
    if (onProgress) xhr.upload.onprogress = ({ loaded }) => onProgress(loaded);

    xhr.open(method, url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    signal?.addEventListener('abort', abort, { once: true });
    xhr.send(bytes);
  });
}

async function sendByFetch(request: BytesRequest): Promise<BytesAnswer> {
  const { method, url, headers, bytes, onProgress, signal } = request;
  const response = await fetch(url, {
    method,
    // A stream has no length of its own, and storages refuse parts without one.
    headers: { ...headers, ...(onProgress ? { 'content-length': String(bytes.size) } : {}) },
    body: onProgress ? counted(bytes, onProgress) : bytes,
    ...(onProgress ? { duplex: 'half' } : {}),
    ...(signal ? { signal } : {}),
  } as RequestInit);
  return {
    status: response.status,
    text: await response.text(),
    header: (name) => response.headers.get(name),
  };
}

function counted(bytes: Blob, onProgress: (sent_bytes: number) => void) {
  let sent = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      sent += chunk.byteLength;
      controller.enqueue(chunk);
      onProgress(sent);
    },
  });
  return bytes.stream().pipeThrough(counter);
}
