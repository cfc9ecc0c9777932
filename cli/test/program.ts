/** The program as a person starts it: a process of its own, in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cast, type Client, cast } from '../../server/test/cast.ts';
import { atEndOfFile } from '../../server/test/end-of-file.ts';

const main = join(import.meta.dirname, '../src/main.ts');
const isolated = Object.entries(process.env).filter(
  ([name]) => !/^(COGWORKS_|NODE_TEST|npm_|INIT_CWD)/.test(name),
);

export type Ended = {
  code: number | null;
  /** The output on stdout. */
  answer: string;
  /** The output on stderr. */
  said: string;
};
export type Running = { child: ChildProcess; ended: Promise<Ended> };
export type Program = {
  dir: string;
  env: Record<string, string>;
  start(...args: string[]): Running;
  run(...args: string[]): Promise<Ended>;
  /** With --json. @throws when it did not succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: what the program really printed
  json(...args: string[]): Promise<any>;
};

/** The program in an empty folder, with these variables besides those of every program. */
export async function program(env: Record<string, string>): Promise<Program> {
  const dir = await mkdtemp(join(tmpdir(), 'cogworks-cli-'));
  folders.push(dir);
  const start = (...args: string[]): Running => {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: dir,
      env: { ...Object.fromEntries(isolated), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const texts = [child.stdout, child.stderr].map(async (stream) => {
      let text = '';
      try {
        for await (const piece of stream.setEncoding('utf8')) text += piece;
      } catch {
        // A test closed it.
      }
      return text;
    });
    const ended = once(child, 'close').then(async ([code]) => {
      const [answer = '', said = ''] = await Promise.all(texts);
      return { code, answer, said };
    });
    return { child, ended };
  };
  const run = (...args: string[]) => start(...args).ended;
  const json = async (...args: string[]) => {
    const { code, answer, said } = await run(...args, '--json');
    if (code !== 0) throw new Error(`It ended with ${code}: ${said}`);
    return JSON.parse(answer);
  };
  return { dir, env, start, run, json };
}

const folders: string[] = [];
atEndOfFile(() =>
  Promise.all(folders.splice(0).map((dir) => rm(dir, { recursive: true, force: true }))),
);

/** The program with an API key of a person. */
export async function programOf(url: string, person: Client): Promise<Program> {
  const { body } = await person.post('/api-keys/', { description: 'terminal' });
  return program({ COGWORKS_URL: url, COGWORKS_API_KEY: body.access_key });
}

/** A fresh tenant, and its owner at a terminal. */
export async function atTerminal(): Promise<Cast & { cli: Program }> {
  const people = await cast();
  return { ...people, cli: await programOf(people.server.url, people.owner) };
}
