/** What raising a limit does, one after the other, and how far it is. */
import { plural, t } from '@lingui/core/macro';
import { Loader, Text, VisuallyHidden } from '@mantine/core';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import { useNames } from '../../../people.ts';
import type { Publication } from './raised-limit.ts';
import type { Plan } from './raising-plan.ts';
import classes from './raising-steps.module.css';

type Props = {
  plan: Plan;
  isPending: boolean;
  isBuiltIn: boolean;
  /** Whether the step runs for each file. */
  isMapped: boolean;
  /** How many nodes of the workflow use the definition. */
  count: number;
};

export function RaisingSteps({ plan, isPending, ...about }: Props) {
  const nameOf = useNames();
  const { definition, version, isPublished, publication } = plan;
  const steps = [
    { words: definitionWords(definition, about.isBuiltIn), isDone: definition !== undefined },
    { words: versionWords(version, about.count), isDone: version !== undefined },
    ...(publication.publish ? [{ words: publishWords(isPublished), isDone: isPublished }] : []),
    { words: runWords(about.isMapped), isDone: false },
  ];
  const current = isPending ? steps.findIndex(({ isDone }) => !isDone) : -1;
  return (
    <div aria-live="polite">
      <ol className={classes.steps}>
        {steps.map(({ words, isDone }, at) => (
          <li key={words} data-done={isDone} aria-current={at === current ? 'step' : undefined}>
            {isDone ? (
              <IconCircleCheckFilled size={18} aria-hidden />
            ) : at === current ? (
              <Loader size={16} aria-hidden />
            ) : (
              <IconCircle size={18} stroke={1.5} aria-hidden />
            )}
            <span>
              {words}
              {isDone && <VisuallyHidden> {t`Done.`}</VisuallyHidden>}
            </span>
          </li>
        ))}
      </ol>
      {!publication.publish && (
        <Text size="sm" mt={10}>
          {draftWords(publication, nameOf)}
        </Text>
      )}
    </div>
  );
}

function definitionWords(definition: Plan['definition'], isBuiltIn: boolean): string {
  if (definition) return t`Version ${definition.version} of the step is registered.`;
  return isBuiltIn
    ? t`Register a version of this built-in step that is your organization’s own.`
    : t`Register a version of the step with that limit, and nothing else changed.`;
}

function versionWords(version: Plan['version'], count: number): string {
  if (version) return t`Version ${version.version_number} of the workflow uses it.`;
  return plural(count, {
    one: 'Make a version of the workflow that uses it.',
    other: 'Make a version of the workflow that uses it in all # places.',
  });
}

const publishWords = (isPublished: boolean): string =>
  isPublished
    ? t`It is published: triggers and new runs use it.`
    : t`Publish it, so that triggers and new runs use it too.`;

const runWords = (isMapped: boolean): string =>
  isMapped
    ? t`Run it. This step runs again for all files; what it does not change is taken over, at no cost.`
    : t`Run it. This step runs again; what it does not change is taken over, at no cost.`;

type Draft = Exclude<Publication, { publish: true }>;

/** Why it is not published. */
function draftWords(draft: Draft, nameOf: (id: number) => string): string {
  if (draft.because === 'unpublished')
    return t`The new version stays a draft, as the one that has run is not published.`;
  const { version_number, created_by } = draft.version;
  return draft.because === 'newer'
    ? t`The new version stays a draft, and runs as a test: version ${version_number} is newer, and published, and would be replaced. Raise the limit there, too.`
    : t`The new version stays a draft, and runs as a test: there is a newer draft, version ${version_number} by ${nameOf(created_by)}, which would be left behind. Raise the limit there, too.`;
}
