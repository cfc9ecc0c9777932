/** A failure in one plain sentence, and what most likely helps, the best first. Pure. */
import type { NodeDefinition, NodeRun } from '@cogworks/sdk/contract.gen';
import { formatDuration, plural } from '../../../ui/format.ts';

export type Fix =
  | 'retry'
  /** With other variables. */
  | 'variables'
  /** The step itself: its command, image, memory or time. */
  | 'change-step'
  /** A new run without the file. */
  | 'skip'
  | 'replace'
  | 'secret'
  | 'storage'
  | 'credits';

export type Explained = { what: string; hint: string; fixes: readonly Fix[] };

type Failed = Pick<NodeRun, 'error_class' | 'exit_code' | 'outputs' | 'attempt'>;
/** How many other files the same step did, and how many it did not. */
export type Others = { success: number; failure: number };
type Definition = Pick<NodeDefinition, 'image' | 'resources' | 'timeout_seconds' | 'outputs'>;

export function explain(
  step: Failed,
  definition: Definition | undefined,
  others: Others | undefined,
): Explained {
  const isOfFile = others !== undefined && others.success > 0 && others.success >= others.failure;
  const found = byClass(step, definition) ?? byExitCode(step, isOfFile);
  if (!isOfFile) return { ...found, fixes: found.fixes.filter((fix) => !isForOneFile(fix)) };
  const did = `The same step did ${plural(others.success, 'other file')} of this run.`;
  return { ...found, hint: `${found.hint} ${did}` };
}

const isForOneFile = (fix: Fix) => fix === 'skip' || fix === 'replace';

const passing = 'That is not the fault of your files or your program. Trying again often helps.';

/** What needs no number. */
const simple: Record<string, Explained> = {
  output_upload: { what: 'A result could not be stored.', hint: passing, fixes: ['retry'] },
  input_fetch: { what: 'An input file could not be fetched.', hint: passing, fixes: ['retry'] },
  image_pull: {
    what: 'The image could not be fetched from its registry.',
    hint: 'The registry may be away for a moment. Try again.',
    fixes: ['retry', 'change-step', 'secret'],
  },
  registry_auth: {
    what: 'The registry did not give out the image: credentials are missing, or were refused.',
    hint: 'Add the secret for this registry, or replace the one it refused. Then try again.',
    fixes: ['secret', 'retry'],
  },
  output_invalid: {
    what: 'A result is not what the step promises.',
    hint: 'The log may say what was written instead.',
    fixes: ['skip', 'replace', 'change-step'],
  },
  quota_exceeded: {
    what: "There was no room for the results in your organization's storage.",
    hint: 'Delete what is not needed, or raise the limit. Then try again.',
    fixes: ['storage', 'retry'],
  },
  bad_params: {
    what: 'The step could not start with what it was given.',
    hint: 'The message says what is wrong: a variable, a setting, an input, or a secret that is gone.',
    fixes: ['variables', 'change-step', 'secret'],
  },
  disk_full: { what: 'The disk of the worker was full.', hint: passing, fixes: ['retry'] },
  evicted: { what: 'The worker gave the work back.', hint: passing, fixes: ['retry'] },
  infrastructure: { what: 'The worker could not run it.', hint: passing, fixes: ['retry'] },
  lost_worker: { what: 'The worker was lost while it ran.', hint: passing, fixes: ['retry'] },
  poison: {
    what: 'Three workers were lost while they ran it.',
    hint: 'It may take down the machine it runs on, for example by using all of its memory.',
    fixes: ['change-step', 'skip', 'replace', 'retry'],
  },
  insufficient_credits: {
    what: 'There were not enough credits left for it.',
    hint: 'Raise the limit of the run, or wait for the next period.',
    fixes: ['credits', 'retry'],
  },
};

function byClass(step: Failed, definition: Definition | undefined): Explained | undefined {
  const { error_class = '' } = step;
  const known = simple[error_class];
  if (known) return known;
  switch (error_class) {
    case 'oom':
      return outOfMemory(definition);
    case 'timeout': {
      const { timeout_seconds } = definition ?? {};
      const after =
        timeout_seconds === undefined ? '' : ` of ${formatDuration(timeout_seconds * 1000)}`;
      return {
        what: `It took longer than its time limit${after}, and was stopped.`,
        hint: 'Give the step more time, or look whether it waits for something.',
        fixes: ['change-step', 'skip', 'retry'],
      };
    }
    case 'disk_limit': {
      const limit = definition ? ` of ${definition.resources.disk_mb} MB` : '';
      return {
        what: `It wrote more than its disk limit${limit}.`,
        hint: 'Give the step a larger disk.',
        fixes: ['change-step', 'skip', 'retry'],
      };
    }
    case 'output_missing': {
      const names = definition?.outputs.map(({ name }) => name).join(', ');
      return {
        what: `It ended without writing its result${names ? ` (${names})` : ''}.`,
        hint: 'Programs do that when they find nothing to do. The log may say why.',
        fixes: ['skip', 'replace', 'change-step'],
      };
    }
    case 'image_not_found':
      return {
        what: `The image ${definition?.image ?? 'of the step'} does not exist.`,
        hint: 'Look for a misspelt name or a tag that was removed.',
        fixes: ['change-step', 'retry'],
      };
    default:
      return undefined;
  }
}

function outOfMemory(definition: Definition | undefined): Explained {
  const had = definition ? `: at first it may use ${definition.resources.memory_mb} MB` : '';
  return {
    what: `It ran out of memory${had}.`,
    hint: 'Give the step more memory. Where it is tried again by itself, it gets half as much again.',
    fixes: ['change-step', 'skip', 'retry'],
  };
}

function byExitCode({ exit_code }: Failed, isOfFile: boolean): Explained {
  const fixes: Fix[] = isOfFile
    ? ['skip', 'replace', 'retry', 'change-step']
    : ['retry', 'change-step', 'variables'];
  const step: Fix[] = ['change-step', 'retry'];
  switch (exit_code) {
    case undefined:
      return { what: 'It failed before its program started.', hint: passing, fixes: ['retry'] };
    case 126:
      return {
        what: 'Its command could not be executed (exit code 126).',
        hint: 'The file of the command is not a program, or not for this kind of machine.',
        fixes: step,
      };
    case 127:
      return {
        what: 'Its command was not found in the image (exit code 127).',
        hint: 'Look for a misspelt command, or one that the image does not have.',
        fixes: step,
      };
    case 137:
      return {
        what: 'It was killed (exit code 137), most often for want of memory.',
        hint: 'Give the step more memory.',
        fixes: ['change-step', 'skip', 'retry'],
      };
    case 139:
      return {
        what: 'Its program crashed (exit code 139, a fault in its memory).',
        hint: 'A broken file can do that, or a fault of the program.',
        fixes,
      };
    case 143:
      return { what: 'It was told to stop (exit code 143).', hint: passing, fixes: ['retry'] };
    default:
      return {
        what: `Its program reported a failure (exit code ${exit_code}).`,
        hint: 'The last lines of its log usually say why.',
        fixes,
      };
  }
}
