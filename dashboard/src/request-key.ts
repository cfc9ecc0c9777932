/** Idempotency keys: pressing a button twice, or again after a lost answer, does something once. */
import { useRef } from 'react';

export const randomKey = () => [...crypto.getRandomValues(new Uint32Array(4))].join('-');

/** @returns the key of a request: the same one as long as the request is the same. */
export function useRequestKey(): (request: unknown) => string {
  const last = useRef({ request: '', key: '' });
  return (request) => {
    const text = JSON.stringify(request);
    if (last.current.request !== text) last.current = { request: text, key: randomKey() };
    return last.current.key;
  };
}
