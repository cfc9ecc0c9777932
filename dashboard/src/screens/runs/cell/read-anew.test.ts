import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { readAnew } from './read-anew.ts';

it.each(['the first', 'a later'])(
  '%s read that an event overtakes is begun anew',
  async (which) => {
    const client = new QueryClient();
    const queryKey = ['step'];
    const answers: ((status: string) => void)[] = [];
    const queryFn = () => new Promise<string>((resolve) => answers.push(resolve));
    if (which === 'a later') client.setQueryData(queryKey, 'queued');
    const observer = new QueryObserver(client, { queryKey, queryFn });
    const leave = observer.subscribe(() => {});
    const told = readAnew(client, queryKey);
    await Promise.resolve();
    answers[0]?.('running');
    while (answers.length < 2) await new Promise((resolve) => setTimeout(resolve));
    answers[1]?.('success');
    await told;
    expect(client.getQueryData(queryKey)).toBe('success');
    leave();
  },
);
