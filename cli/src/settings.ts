/** Settings from the environment: the service, the API key, patience, and the base of relative paths. */
import { UsageProblem } from './problem.ts';

export type Settings = {
  baseUrl: string;
  apiKey: string;
  dir: string;
  /** After this long without a byte, a transfer is tried again. */
  silence_ms: number | undefined;
};

/** @throws UsageProblem that says how to get a missing setting. */
export function readSettings(env: NodeJS.ProcessEnv, cwd: string): Settings {
  const baseUrl = (env.COGWORKS_URL || 'http://127.0.0.1:8080').replace(/\/+$/, '');
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new UsageProblem(
      `COGWORKS_URL is not the address of a server: ${baseUrl}\nIt looks like http://127.0.0.1:8080.`,
    );
  }
  const apiKey = env.COGWORKS_API_KEY?.trim();
  if (!apiKey) {
    throw new UsageProblem(`Set COGWORKS_API_KEY to an API key. ${howToGetAKey(baseUrl)}`);
  }
  // It is sent in a header, where a line break or a quote would cause an obscure error.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new UsageProblem(`COGWORKS_API_KEY is not an API key. ${howToGetAKey(baseUrl)}`);
  }
  return { baseUrl, apiKey, dir: startingDir(env, cwd), silence_ms: silenceIn(env) };
}

function silenceIn({ COGWORKS_TIMEOUT: text = '' }: NodeJS.ProcessEnv): number | undefined {
  if (text === '') return undefined;
  const seconds = /^\d{1,5}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds > 0) return seconds * 1000;
  throw new UsageProblem(`COGWORKS_TIMEOUT is not a number of seconds: ${text}`);
}

export const howToGetAKey = (baseUrl: string) =>
  `Make one in the dashboard, Settings › API keys:
  ${baseUrl}/app/
or on the server's host:
  npm run --silent admin -- create-api-key --email YOU@EXAMPLE.COM --description laptop`;

/** npm changes into the folder of package.json, but paths are relative to where npm was started. */
const startingDir = (env: NodeJS.ProcessEnv, cwd: string) =>
  env.npm_lifecycle_event === 'cli' && env.INIT_CWD ? env.INIT_CWD : cwd;
