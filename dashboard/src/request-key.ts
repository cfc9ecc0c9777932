/** Idempotency keys: pressing a button twice, or again after a lost answer, does something once. */
import { useState } from 'react';

export const randomKey = () => [...crypto.getRandomValues(new Uint32Array(4))].join('-');

/** @returns the key of a request: the same one as long as the request is the same. */
export const useRequestKey = () => useState(requestKeys)[0].keyOf;

/**
 * Where one place makes things again and again.
 *
 * @returns sends a request with its key; once it has succeeded, the same request is a new one.
 */
export const useOnce = () => useState(requestKeys)[0].once;

export function requestKeys() {
  const none = { request: '', key: '' };
  let last = none;
  const keyOf = (request: unknown): string => {
    const text = JSON.stringify(request);
    if (last.request !== text) last = { request: text, key: randomKey() };
    return last.key;
  };
  const once = async <Answer>(
    request: unknown,
    send: (idempotencyKey: string) => Promise<Answer>,
  ): Promise<Answer> => {
    const key = keyOf(request);
    const answer = await send(key);
    if (last.key === key) last = none;
    return answer;
  };
  return { keyOf, once };
}
