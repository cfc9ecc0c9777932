/** The screens of the place “Workflows”, as tabs. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { LinkTab, LinkTabs } from './ui/link-tabs.tsx';

export const WorkflowTabs = () => (
  <LinkTabs label={t`Workflows, templates and steps`}>
    <LinkTab to="/workflows" activeOptions={{ exact: true }}>
      <Trans>Your workflows</Trans>
    </LinkTab>
    <LinkTab to="/workflows/templates">
      <Trans>Templates</Trans>
    </LinkTab>
    <LinkTab to="/workflows/catalogue">
      <Trans>Steps</Trans>
    </LinkTab>
  </LinkTabs>
);
