/**
 * The operator's command line, for users who can read the server's data folder. Works whether or
 * not the server runs. Results go to stdout, everything else to stderr.
 */
import { parseArgs } from 'node:util';
import { type Command, Faults, UsageError } from './admin/command.ts';
import { commands } from './admin/commands.ts';
import { ConfigError, readConfig } from './config.ts';
import { DomainError } from './errors.ts';
import { makeLog } from './log.ts';
import { openDatabase, prepareDatabase } from './roles/parts.ts';

const described = (some: readonly Command[]) =>
  some
    .map(({ name, options, about }) => `  ${`${name} ${options}`.trim()}\n      ${about}`)
    .join('\n');

const usage = `Usage: npm run --silent admin -- <command> [options]

${described(commands)}

Configuration comes from the same environment variables as the server's.`;

process.exitCode = await main(process.argv.slice(2));

async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    console[name === undefined ? 'error' : 'log'](usage);
    return name === undefined ? 2 : 0;
  }
  const command = commands.find((one) => one.name === name);
  if (!command) {
    console.error(`${usage}\n\nThere is no command "${name}".`);
    return 2;
  }
  if (args.includes('--help') || args.includes('-h')) {
    console.log(described([command]));
    return 0;
  }
  try {
    await run(command, args);
    return 0;
  } catch (error) {
    if (error instanceof Faults) {
      console.log(error.message);
      return 1;
    }
    if (error instanceof UsageError) {
      console.error(`${error.message}\n\n${described([command])}`);
      return 2;
    }
    // Errors an operator can fix are one sentence; others come with their stack.
    const isExpected = error instanceof ConfigError || error instanceof DomainError;
    console.error(isExpected ? error.message : error);
    return 1;
  }
}

async function run(command: Command, args: string[]) {
  const values = readOptions(command, args);
  const work = command.prepare(values);
  const config = readConfig();
  const silent = makeLog('silent');
  const { db, close } = await openDatabase(config, silent, { share: true });
  try {
    const keys = await prepareDatabase(config, db, silent);
    let told: string | undefined;
    const tell = async (text: string) => {
      told = text;
      await new Promise((written) => process.stdout.write(`${text}\n`, written));
    };
    const result = await work({ config, db, keys, tell });
    if (result !== told) console.log(result);
  } finally {
    await close();
  }
}

function readOptions({ accepts }: Command, args: string[]) {
  const options = Object.fromEntries(accepts.map((name) => [name, { type: 'string' as const }]));
  try {
    return parseArgs({ args, options, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
