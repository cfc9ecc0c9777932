/** What was done since the builder was opened, in words; a click goes back to there, or forth. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text, Title, UnstyledButton } from '@mantine/core';
import list from '../../../versions/change-list.module.css';
import { useEditorState } from '../editor.ts';
import { useUndoing } from '../undoing.ts';
import classes from './versions.module.css';

export function History() {
  const { goTo } = useUndoing();
  const past = useEditorState((state) => state.past);
  const future = useEditorState((state) => state.future);
  const steps = [
    t`As it was opened`,
    ...[...past, ...future.toReversed()].map(({ words }) => words),
  ];
  return (
    <div className={classes.panel}>
      <Title order={2} size="sm" className={classes.heading}>
        <Trans>History</Trans>
      </Title>
      <Text size="xs" c="var(--faint)" mb="xs">
        <Trans>Choose a step to go back to it. Nothing is lost until you edit from there.</Trans>
      </Text>
      <ol className={list.changes} aria-label={t`History`} reversed>
        {steps
          .map((words, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place in the list
            <li key={at}>
              <UnstyledButton
                className={list.change}
                data-undone={at > past.length}
                aria-current={at === past.length ? 'step' : undefined}
                onClick={() => goTo(at)}
              >
                <Text component="span" size="sm" className={list.words}>
                  {words}
                </Text>
              </UnstyledButton>
            </li>
          ))
          .reverse()}
      </ol>
    </div>
  );
}
