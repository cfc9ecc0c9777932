/** What the container will see, kept up while one types. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { type ReactNode, useDeferredValue, useMemo } from 'react';
import { CodeBlock } from '../../ui/code-block.tsx';
import classes from './container-example.module.css';
import { containerView, type Line, quoted, type Shown } from './container-view.ts';

export function ContainerExample({ definition }: { definition: Shown }) {
  const shown = useDeferredValue(definition);
  const view = useMemo(() => containerView(shown), [shown]);
  return (
    <div className={classes.example}>
      <Part title={t`The command, as it is called`}>
        <CodeBlock label={t`Command of the container`} isWrapped>
          {view.command.map(({ text }) => quoted(text)).join(' \\\n  ')}
        </CodeBlock>
        {view.command.map(
          ({ fault }, index) =>
            fault && (
              // biome-ignore lint/suspicious/noArrayIndexKey: arguments have only their place
              <Text key={index} size="xs" c="var(--mantine-color-error)" mt={4}>
                {fault}
              </Text>
            ),
        )}
      </Part>
      <Part title={t`What it may read`}>
        <Lines lines={[...view.inputs, { path: '/data/params.json', about: t`its params` }]} />
        <CodeBlock label="params.json">{view.params}</CodeBlock>
      </Part>
      <Part title={t`What is taken of what it writes`}>
        {view.outputs.length === 0 ? (
          <Text size="sm" c="var(--faint)">
            <Trans>Nothing: it has no outputs.</Trans>
          </Text>
        ) : (
          <Lines lines={view.outputs} />
        )}
      </Part>
      <Part title={t`Its environment`}>
        <CodeBlock label={t`Environment of the container`}>{environment(view.env)}</CodeBlock>
      </Part>
      <Text size="xs" c="var(--faint)">
        <Trans>
          All else is read-only, except /tmp. A line such as “3/10” in /data/progress shows
          progress.
        </Trans>
      </Text>
    </div>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={classes.part}>
    <h3 className={classes.title}>{title}</h3>
    {children}
  </section>
);

const Lines = ({ lines }: { lines: readonly Line[] }) => (
  <ul className={classes.lines}>
    {lines.map(({ path, about }) => (
      <li key={path + about}>
        <code>{path}</code>
        <span>{about}</span>
      </li>
    ))}
  </ul>
);

const environment = (env: readonly [string, string][]) =>
  [['HOME', '/tmp'], ...env].map(([name, value]) => `${name}=${value}`).join('\n');
