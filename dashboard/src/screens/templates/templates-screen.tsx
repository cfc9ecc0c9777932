/** Workflows › Templates: what a workflow can begin with, shipped and own. */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Chip, Group, Text, TextInput } from '@mantine/core';
import { IconPlayerPlay, IconSearch, IconTemplate } from '@tabler/icons-react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { CardReadiness } from '../../starting/card-readiness.tsx';
import { type TemplateSummary, useTemplates } from '../../starting/templates.ts';
import { Await } from '../../ui/await.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import cards from '../../ui/cards.module.css';
import { Empty } from '../../ui/empty.tsx';
import { GraphPicture } from '../../ui/graph-picture.tsx';
import { Screen } from '../../ui/screen.tsx';
import { Tag } from '../../ui/tag.tsx';
import { WorkflowTabs } from '../../workflow-tabs.tsx';
import { categoriesOf, type GalleryFilter, shownOf } from './gallery.ts';
import classes from './templates.module.css';

export function TemplatesScreen() {
  const templates = useTemplates();
  return (
    <Screen
      title={t`Workflows`}
      description={t`Steps that run in containers, on your files.`}
      actions={
        <ButtonLink to="/start" variant="default" leftSection={<IconPlayerPlay size={17} />}>
          <Trans>Try on samples</Trans>
        </ButtonLink>
      }
    >
      <WorkflowTabs />
      <Await query={templates}>
        {(rows) => (rows.length === 0 ? <NoTemplates /> : <Gallery rows={rows} />)}
      </Await>
    </Screen>
  );
}

function Gallery({ rows }: { rows: readonly TemplateSummary[] }) {
  const filter: GalleryFilter = useSearch({ strict: false });
  const navigate = useNavigate();
  const show = (changes: GalleryFilter) =>
    navigate({ to: '/workflows/templates', search: { ...filter, ...changes }, replace: true });
  const shown = shownOf(rows, filter);
  return (
    <>
      <Group gap="sm" mb="lg">
        <TextInput
          className={classes.search}
          aria-label={t`Search templates`}
          placeholder={t`Search templates`}
          leftSection={<IconSearch size={16} />}
          value={filter.q ?? ''}
          onChange={(event) => show({ q: event.currentTarget.value || undefined })}
        />
        {categoriesOf(rows).map((category) => (
          <Chip
            key={category}
            size="sm"
            variant="outline"
            checked={filter.category === category}
            onChange={(isOn) => show({ category: isOn ? category : undefined })}
          >
            {category}
          </Chip>
        ))}
      </Group>
      {shown.length === 0 ? (
        <Text size="sm" c="var(--faint)" role="status">
          <Trans>No template is like that.</Trans>
        </Text>
      ) : (
        <ul className={cards.cards}>
          {shown.map((template) => (
            <TemplateCard key={template.id} template={template} />
          ))}
        </ul>
      )}
    </>
  );
}

function TemplateCard({ template }: { template: TemplateSummary }) {
  const { id, name, description, category, scope, node_count, shape } = template;
  return (
    <li>
      <Link
        to="/workflows/templates/$templateId"
        params={{ templateId: String(id) }}
        className={cards.card}
      >
        <span className={classes.picture}>{shape && <GraphPicture shape={shape} />}</span>
        <span className={cards.words}>
          <span className={cards.name}>{name}</span>
          <span className={cards.description}>{description || t`No description.`}</span>
          <span className={cards.foot}>
            {scope === 'tenant' && (
              <Tag tone="accent">
                <Trans>Yours</Trans>
              </Tag>
            )}
            {category && <Tag>{category}</Tag>}
            <span>{plural(node_count, { one: '# step', other: '# steps' })}</span>
          </span>
          <CardReadiness id={id} />
        </span>
      </Link>
    </li>
  );
}

const NoTemplates = () => (
  <Empty icon={<IconTemplate size={30} stroke={1.5} />} title={t`No templates yet`}>
    <Trans>
      A template is a graph that workflows can begin with. Open a workflow and choose “Keep as a
      template”, so that others need not begin from nothing.
    </Trans>
  </Empty>
);
