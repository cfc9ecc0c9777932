/** Workflows › Steps: what steps of workflows there are, searched by name and by type. */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Chip, Group, Text, TextInput } from '@mantine/core';
import { IconArrowRight, IconBox, IconPlus, IconSearch } from '@tabler/icons-react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useCatalogue } from '../../catalogue.ts';
import { useCommands } from '../../commands/use-commands.ts';
import { isBuiltIn } from '../../definition-names.ts';
import { Await } from '../../ui/await.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import cards from '../../ui/cards.module.css';
import { Empty } from '../../ui/empty.tsx';
import { formatCount } from '../../ui/format.ts';
import { Screen } from '../../ui/screen.tsx';
import { Tag } from '../../ui/tag.tsx';
import { WorkflowTabs } from '../../workflow-tabs.tsx';
import classes from './catalogue.module.css';
import {
  type Entry,
  entriesOf,
  found,
  madeWords,
  takenWords,
  titleOf,
  usualSearches,
} from './entries.ts';

export function CatalogueScreen() {
  const definitions = useCatalogue();
  const navigate = useNavigate();
  useCommands([
    {
      ...{ id: 'new step', label: t`New step`, words: t`definition container`, icon: IconPlus },
      run: () => void navigate({ to: '/workflows/catalogue/new' }),
    },
  ]);
  return (
    <Screen
      title={t`Workflows`}
      description={t`Steps that run in containers, on your files.`}
      actions={
        <ButtonLink to="/workflows/catalogue/new" leftSection={<IconPlus size={17} />}>
          <Trans>New step</Trans>
        </ButtonLink>
      }
    >
      <WorkflowTabs />
      <Await query={definitions}>
        {(rows) => (rows.length === 0 ? <NoSteps /> : <Catalogue key="rows" rows={rows} />)}
      </Await>
    </Screen>
  );
}

/** Cards that are drawn at first; a search finds the others. */
const atOnce = 120;

type Rows = Parameters<typeof entriesOf>[0];

function Catalogue({ rows }: { rows: Rows }) {
  const { q = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const search = (text: string) =>
    void navigate({ to: '/workflows/catalogue', search: { q: text || undefined }, replace: true });
  const [most, setMost] = useState(atOnce);
  const entries = useMemo(() => entriesOf(rows), [rows]);
  const shown = useMemo(() => found(entries, q), [entries, q]);
  const usual = useMemo(() => usualSearches(entries), [entries]);
  const count = formatCount(shown.length);
  return (
    <>
      <Group gap="sm" mb="lg">
        <TextInput
          type="search"
          className={classes.search}
          aria-label={t`Search steps`}
          placeholder={t`A name, or “takes pdf makes text”`}
          leftSection={<IconSearch size={16} />}
          value={q}
          onChange={(event) => search(event.currentTarget.value)}
        />
        {usual.map((words) => (
          <Chip
            key={words}
            size="sm"
            variant="outline"
            checked={q.toLowerCase() === words.toLowerCase()}
            onChange={(isOn) => search(isOn ? words : '')}
          >
            {words}
          </Chip>
        ))}
      </Group>
      <Text size="sm" c="var(--faint)" role="status" mb="sm">
        {shown.length === 0
          ? t`No step is like that.`
          : q === ''
            ? plural(shown.length, { one: '# step', other: '# steps' })
            : plural(entries.length, { one: `${count} of # step`, other: `${count} of # steps` })}
      </Text>
      <ul className={cards.cards}>
        {shown.slice(0, most).map((entry) => (
          <StepCard key={entry.newest.id} entry={entry} />
        ))}
      </ul>
      {shown.length > most && (
        <Button variant="subtle" fullWidth mt="md" onClick={() => setMost(most + atOnce)}>
          <Trans>Show more</Trans>
        </Button>
      )}
    </>
  );
}

function StepCard({ entry: { newest, versions } }: { entry: Entry }) {
  const { version } = newest;
  const count = formatCount(versions.length);
  return (
    <li>
      <Link
        to="/workflows/catalogue/$definitionId"
        params={{ definitionId: String(newest.id) }}
        className={cards.card}
      >
        <span className={cards.words}>
          <span className={cards.name}>{titleOf(newest)}</span>
          <span className={cards.description}>{newest.description || t`No description.`}</span>
          <span className={classes.flow}>
            <span>{takenWords(newest)}</span>
            <IconArrowRight size={15} role="img" aria-label={t`becomes`} />
            <span>{madeWords(newest)}</span>
          </span>
          <span className={cards.foot}>
            {newest.scope === 'tenant' ? (
              <Tag tone="accent">
                <Trans>Yours</Trans>
              </Tag>
            ) : (
              <Tag>
                <Trans>Built in</Trans>
              </Tag>
            )}
            {newest.category && <Tag>{newest.category}</Tag>}
            {!isBuiltIn(newest) && (
              <span>
                {versions.length > 1 ? (
                  <Trans>
                    Version {version}, of {count}
                  </Trans>
                ) : (
                  <Trans>Version {version}</Trans>
                )}
              </span>
            )}
          </span>
        </span>
      </Link>
    </li>
  );
}

const NoSteps = () => (
  <Empty icon={<IconBox size={30} stroke={1.5} />} title={t`No steps yet`}>
    <Trans>
      A step is a container image with named inputs, outputs and settings. Workflows are made of
      them.
    </Trans>
  </Empty>
);
