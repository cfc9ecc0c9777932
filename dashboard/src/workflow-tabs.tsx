/** The screens of the place “Workflows”, as tabs. */
import { LinkTab, LinkTabs } from './ui/link-tabs.tsx';

export const WorkflowTabs = () => (
  <LinkTabs label="Workflows, templates and steps">
    <LinkTab to="/workflows" activeOptions={{ exact: true }}>
      Your workflows
    </LinkTab>
    <LinkTab to="/workflows/templates">Templates</LinkTab>
    <LinkTab to="/workflows/catalogue">Steps</LinkTab>
  </LinkTabs>
);
