/** A failure in one plain sentence, and what most likely helps, the best first. Pure. */
import type { NodeDefinition, NodeRun } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { formatDuration } from '../../../ui/format.ts';

export type Fix =
  | 'retry'
  /** With other variables. */
  | 'variables'
  /** The step itself: its command, image, memory or time. */
  | 'change-step'
  /** A new version of the step's definition, which has the limits, and a run with it. */
  | 'raise-limit'
  /** A new run without the file. */
  | 'skip'
  | 'replace'
  /** A new run with the contents that the file has now. */
  | 'replaced'
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
  const did = plural(others.success, {
    one: 'The same step did # other file of this run.',
    other: 'The same step did # other files of this run.',
  });
  return { ...found, hint: `${found.hint} ${did}` };
}

/** A restart uses the bytes of before, so it fails alike. */
export function afterChange(found: Explained): Explained {
  const hint = t`The file has changed since this run began; trying again would use what it held before.`;
  const others = found.fixes.filter((fix) => fix !== 'replace');
  return { ...found, hint: `${hint} ${found.hint}`, fixes: ['replaced', ...others] };
}

const isForOneFile = (fix: Fix) => fix === 'skip' || fix === 'replace';

const passing = t`That is not the fault of your files or your program. Trying again often helps.`;

/** What needs no number. */
const simple: Record<string, Explained> = {
  output_upload: { what: t`A result could not be stored.`, hint: passing, fixes: ['retry'] },
  input_fetch: { what: t`An input file could not be fetched.`, hint: passing, fixes: ['retry'] },
  image_pull: {
    what: t`The image could not be fetched from its registry.`,
    hint: t`The registry may be away for a moment. Try again.`,
    fixes: ['retry', 'change-step', 'secret'],
  },
  registry_auth: {
    what: t`The registry did not give out the image: credentials are missing, or were refused.`,
    hint: t`Add the secret for this registry, or replace the one it refused. Then try again.`,
    fixes: ['secret', 'retry'],
  },
  output_invalid: {
    what: t`A result is not what the step promises.`,
    hint: t`The log may say what was written instead.`,
    fixes: ['skip', 'replace', 'change-step'],
  },
  quota_exceeded: {
    what: t`There was no room for the results in your organization's storage.`,
    hint: t`Delete what is not needed, or raise the limit. Then try again.`,
    fixes: ['storage', 'retry'],
  },
  bad_params: {
    what: t`The step could not start with what it was given.`,
    hint: t`The message says what is wrong: a variable, a setting, an input, or a secret that is gone.`,
    fixes: ['variables', 'change-step', 'secret'],
  },
  disk_full: { what: t`The disk of the worker was full.`, hint: passing, fixes: ['retry'] },
  evicted: { what: t`The worker gave the work back.`, hint: passing, fixes: ['retry'] },
  infrastructure: { what: t`The worker could not run it.`, hint: passing, fixes: ['retry'] },
  lost_worker: { what: t`The worker was lost while it ran.`, hint: passing, fixes: ['retry'] },
  poison: {
    what: t`Three workers were lost while they ran it.`,
    hint: t`It may take down the machine it runs on, for example by using all of its memory.`,
    fixes: ['change-step', 'skip', 'replace', 'retry'],
  },
  insufficient_credits: {
    what: t`There were not enough credits left for it.`,
    hint: t`Raise the limit of the run, or wait for the next period.`,
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
      return {
        what:
          timeout_seconds === undefined
            ? t`It took longer than its time limit, and was stopped.`
            : t`It took longer than its time limit of ${formatDuration(timeout_seconds * 1000)}, and was stopped.`,
        hint: t`Look whether it waits for something, or give it more time.`,
        fixes: ['raise-limit', 'skip', 'retry'],
      };
    }
    case 'disk_limit': {
      return {
        what: definition
          ? t`It wrote more than its disk limit of ${definition.resources.disk_mb} MB.`
          : t`It wrote more than its disk limit.`,
        hint: t`Give it more disk space.`,
        fixes: ['raise-limit', 'skip', 'retry'],
      };
    }
    case 'output_missing': {
      const names = definition?.outputs.map(({ name }) => name).join(', ');
      return {
        what: names
          ? t`It ended without writing its result (${names}).`
          : t`It ended without writing its result.`,
        hint: t`Programs do that when they find nothing to do. The log may say why.`,
        fixes: ['skip', 'replace', 'change-step'],
      };
    }
    case 'image_not_found':
      return {
        what: definition
          ? t`The image ${definition.image} does not exist.`
          : t`The image of the step does not exist.`,
        hint: t`Look for a misspelt name or a tag that was removed.`,
        fixes: ['change-step', 'retry'],
      };
    default:
      return undefined;
  }
}

function outOfMemory(definition: Definition | undefined): Explained {
  return {
    what: definition
      ? t`It ran out of memory: at first it may use ${definition.resources.memory_mb} MB.`
      : t`It ran out of memory.`,
    hint: t`Where it is tried again by itself, it gets half as much again. Else give it more memory.`,
    fixes: ['raise-limit', 'skip', 'retry'],
  };
}

function byExitCode({ exit_code }: Failed, isOfFile: boolean): Explained {
  const fixes: Fix[] = isOfFile
    ? ['skip', 'replace', 'retry', 'change-step']
    : ['retry', 'change-step', 'variables'];
  const step: Fix[] = ['change-step', 'retry'];
  switch (exit_code) {
    case undefined:
      return { what: t`It failed before its program started.`, hint: passing, fixes: ['retry'] };
    case 126:
      return {
        what: t`Its command could not be executed (exit code 126).`,
        hint: t`The file of the command is not a program, or not for this kind of machine.`,
        fixes: step,
      };
    case 127:
      return {
        what: t`Its command was not found in the image (exit code 127).`,
        hint: t`Look for a misspelt command, or one that the image does not have.`,
        fixes: step,
      };
    case 137:
      return {
        what: t`It was killed (exit code 137), most often for want of memory.`,
        hint: t`Give it more memory.`,
        fixes: ['raise-limit', 'skip', 'retry'],
      };
    case 139:
      return {
        what: t`Its program crashed (exit code 139, a fault in its memory).`,
        hint: t`A broken file can do that, or a fault of the program.`,
        fixes,
      };
    case 143:
      return { what: t`It was told to stop (exit code 143).`, hint: passing, fixes: ['retry'] };
    default:
      return {
        what: t`Its program reported a failure (exit code ${exit_code}).`,
        hint: t`The last lines of its log usually say why.`,
        fixes,
      };
  }
}
