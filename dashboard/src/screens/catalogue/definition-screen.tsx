/** One step of the catalogue: what it takes, makes and sees, its versions, and who uses it. */
import type { DefinitionUse, NodeDefinition } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Anchor, Text, Title } from '@mantine/core';
import { IconPlayerPlay, IconVersions } from '@tabler/icons-react';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useMemo } from 'react';
import { useCatalogue } from '../../catalogue.ts';
import { isBuiltIn, versionTitle } from '../../definition-names.ts';
import { Await, LoadingRows } from '../../ui/await.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { OlderRows } from '../../ui/older-rows.tsx';
import { Screen } from '../../ui/screen.tsx';
import { Tag } from '../../ui/tag.tsx';
import { When } from '../../ui/when.tsx';
import classes from './catalogue.module.css';
import { ContainerExample } from './container-example.tsx';
import { InputPorts, Limits, OutputPorts, Params } from './definition-parts.tsx';
import { titleOf } from './entries.ts';
import { useDefinition, useUses } from './queries.ts';
import { triedSteps } from './try/tried-steps.ts';

/** Its forms and previews are for those who try it. */
const TryIt = lazy(async () => ({ default: (await import('./try/try-it.tsx')).TryIt }));

export function DefinitionScreen() {
  const { definitionId } = useParams({ strict: false });
  return <DefinitionOf key={definitionId} id={Number(definitionId)} />;
}

function DefinitionOf({ id }: { id: number }) {
  const definition = useDefinition(id);
  const { data } = definition;
  return (
    <Screen
      title={data ? titleOf(data) : t`Step`}
      lead={
        <Anchor component={Link} to="/workflows/catalogue" size="sm" c="var(--faint)">
          <Trans>Steps</Trans>
        </Anchor>
      }
      aside={data && <Tag>{isBuiltIn(data) ? t`Built in` : t`Version ${data.version}`}</Tag>}
      description={data?.description}
      actions={data && <Actions id={id} />}
    >
      <Await query={definition}>{(row) => <Definition definition={row} />}</Await>
    </Screen>
  );
}

function Actions({ id }: { id: number }) {
  const { try: isTried } = useSearch({ strict: false });
  return (
    <>
      <ButtonLink
        to="/workflows/catalogue/new"
        search={{ step: id }}
        variant="default"
        leftSection={<IconVersions size={17} />}
      >
        <Trans>New version</Trans>
      </ButtonLink>
      {!isTried && (
        <ButtonLink
          to="."
          search={(old) => ({ ...old, try: true })}
          replace
          leftSection={<IconPlayerPlay size={17} />}
        >
          <Trans>Try it…</Trans>
        </ButtonLink>
      )}
    </>
  );
}

function Definition({ definition }: { definition: NodeDefinition }) {
  const { inputs, outputs, params } = definition;
  const { try: isTried } = useSearch({ strict: false });
  return (
    <div className={classes.sides}>
      <div>
        {isTried && (
          <Suspense fallback={<LoadingRows rows={3} />}>
            <TryIt definition={definition} />
          </Suspense>
        )}
        <Heading>
          <Trans>Takes</Trans>
        </Heading>
        <InputPorts ports={inputs} />
        <Heading>
          <Trans>Makes</Trans>
        </Heading>
        <OutputPorts ports={outputs} />
        <Heading>
          <Trans>Settings</Trans>
        </Heading>
        <Params schema={params} />
        <Heading>
          <Trans>Used by</Trans>
        </Heading>
        <Uses id={definition.id} />
        <Heading>
          <Trans>Versions</Trans>
        </Heading>
        <Versions of={definition} />
        <Heading>
          <Trans>Limits</Trans>
        </Heading>
        <Limits definition={definition} />
      </div>
      <aside className={classes.beside} aria-labelledby="container">
        <h2 id="container" className={classes.besideTitle}>
          <Trans>What the container sees</Trans>
        </h2>
        <ContainerExample definition={definition} />
      </aside>
    </div>
  );
}

const Heading = ({ children }: { children: ReactNode }) => (
  <Title order={2} className={classes.section}>
    {children}
  </Title>
);

function Uses({ id }: { id: number }) {
  const uses = useUses(id);
  const { hasNextPage, isFetching, fetchNextPage } = uses;
  const data = useMemo(() => uses.data && withoutTries(uses.data), [uses.data]);
  const isEmpty = data?.pages.every(({ rows }) => rows.length === 0) ?? false;
  const isSearching = isEmpty && hasNextPage;
  const mayAsk = uses.error == null && !isFetching;
  // A page may be empty although more follow.
  useEffect(() => {
    if (isSearching && mayAsk) void fetchNextPage();
  }, [isSearching, mayAsk, fetchNextPage]);
  return (
    <OlderRows
      list={{ ...uses, data }}
      empty={
        <Text size="sm" c="var(--faint)">
          {isSearching ? t`Looking at more workflows …` : t`No workflow uses this version.`}
        </Text>
      }
    >
      {(rows) => (
        <ul className={classes.list}>
          {rows.map((use) => (
            <li key={use.workflow_version_id} className={classes.row}>
              <Link to="/workflows/$workflowId" params={{ workflowId: String(use.workflow_id) }}>
                {use.workflow_name}
              </Link>
              {use.state === 'published' ? (
                <Tag tone="accent">
                  <Trans>Published</Trans>
                </Tag>
              ) : (
                <Tag>{use.state === 'draft' ? t`Draft` : t`Archived`}</Tag>
              )}
              <span>
                {use.node_count > 1 ? (
                  <Trans>
                    <VersionLink of={use} />, in{' '}
                    <Plural value={use.node_count} one="# step" other="# steps" />
                  </Trans>
                ) : (
                  <VersionLink of={use} />
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </OlderRows>
  );
}

const VersionLink = ({ of }: { of: DefinitionUse }) => (
  <Link
    to="/workflows/$workflowId/versions/$versionId"
    params={{ workflowId: String(of.workflow_id), versionId: String(of.workflow_version_id) }}
  >
    <Trans>Version {of.version_number}</Trans>
  </Link>
);

/** That somebody tried it is no use of it. */
const withoutTries = ({ pages }: { pages: readonly { rows: readonly DefinitionUse[] }[] }) => ({
  pages: pages.map(({ rows }) => ({
    rows: rows.filter(({ workflow_name }) => workflow_name !== triedSteps),
  })),
});

/** All of the same name, the newest first. */
function Versions({ of: { id, name, scope } }: { of: NodeDefinition }) {
  const definitions = useCatalogue();
  const versions = useMemo(
    () =>
      (definitions.data ?? [])
        .filter((one) => one.name === name && one.scope === scope)
        .toSorted((a, b) => b.id - a.id),
    [definitions.data, name, scope],
  );
  return (
    <Await query={definitions}>
      {() => (
        <ul className={classes.list}>
          {versions.map((one) => (
            <li key={one.id} className={classes.row}>
              <Link
                to="/workflows/catalogue/$definitionId"
                params={{ definitionId: String(one.id) }}
                {...(one.id === id && { 'aria-current': 'page' as const })}
              >
                {versionTitle(one)}
              </Link>
              {one.id === id && (
                <Tag>
                  <Trans>This one</Trans>
                </Tag>
              )}
              {isBuiltIn(one) ? (
                <code>{one.version}</code>
              ) : (
                <span>
                  <When at={one.created_at} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Await>
  );
}
