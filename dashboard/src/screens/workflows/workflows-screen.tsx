/** Workflows: what this tenant can run. */
import type { Workflow } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconSitemap } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Await } from '../../ui/await.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import cards from '../../ui/cards.module.css';
import { Empty } from '../../ui/empty.tsx';
import { Screen } from '../../ui/screen.tsx';
import { Tag } from '../../ui/tag.tsx';
import { When } from '../../ui/when.tsx';
import { WorkflowTabs } from '../../workflow-tabs.tsx';
import { useWorkflows } from '../../workflows.ts';
import { NewWorkflowButton } from './new-workflow-button.tsx';
import { useVersionNews } from './version-news.ts';

export function WorkflowsScreen() {
  const workflows = useWorkflows();
  useVersionNews();
  return (
    <Screen
      title={t`Workflows`}
      description={t`Steps that run in containers, on your files.`}
      actions={<NewWorkflowButton />}
    >
      <WorkflowTabs />
      <Await query={workflows}>
        {(rows) =>
          rows.length === 0 ? (
            <NoWorkflows />
          ) : (
            <ul className={cards.cards}>
              {rows.map((workflow) => (
                <WorkflowCard key={workflow.id} workflow={workflow} />
              ))}
            </ul>
          )
        }
      </Await>
    </Screen>
  );
}

function WorkflowCard({ workflow }: { workflow: Workflow }) {
  const { id, name, description, published_version_id, updated_at } = workflow;
  return (
    <li>
      <Link to="/workflows/$workflowId" params={{ workflowId: String(id) }} className={cards.card}>
        <span className={cards.words}>
          <span className={cards.name}>{name}</span>
          <span className={cards.description}>{description || t`No description.`}</span>
          <span className={cards.foot}>
            {published_version_id === undefined ? (
              <Tag>
                <Trans>Draft</Trans>
              </Tag>
            ) : (
              <Tag tone="accent">
                <Trans>Published</Trans>
              </Tag>
            )}
            <span>
              <Trans>
                Changed <When at={updated_at} />
              </Trans>
            </span>
          </span>
        </span>
      </Link>
    </li>
  );
}

const NoWorkflows = () => (
  <Empty
    icon={<IconSitemap size={30} stroke={1.5} />}
    title={t`No workflows yet`}
    action={
      <ButtonLink to="/workflows/templates">
        <Trans>Begin with a template</Trans>
      </ButtonLink>
    }
  >
    <Trans>
      Templates become workflows with one click. Or make a new one, and put its steps together
      yourself.
    </Trans>
  </Empty>
);
