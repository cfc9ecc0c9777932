/** @throws the signal's reason when it aborts first. */
export function wait(timeout_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, timeout_ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
