import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { cast } from '../../server/test/cast.ts';
import { registerNode } from '../../server/test/workflows.ts';
import { openPage, signInto, withoutBrowser } from './browser.ts';
import { checkLooks } from './looks.ts';

const password = 'correct horse battery';

/** Without the tooltip of what was pressed, which would come a moment later; wide again afterwards. */
async function look(page: Page, name: string) {
  await page.mouse.move(0, 0);
  await checkLooks(page, name);
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** A published version of three steps, by somebody who may change it. */
async function stage() {
  const { server, owner, viewer } = await cast();
  for (const { user } of [owner, viewer]) {
    await setPassword(server.services.db, user.id, password, { must_change: false });
  }
  const params = {
    type: 'object',
    properties: { width: { type: 'integer', title: 'Width', default: 800 } },
  };
  const id = await registerNode(owner, { title: 'Resize', name: 'resize', params });
  const many = await registerNode(owner, {
    title: 'Pack',
    name: 'pack',
    inputs: [{ name: 'in', cardinality: 'many' }],
  });
  const step = (key: string, x: number, title: string, more = {}) => ({
    key,
    node_definition_id: key === 'pack' ? many : id,
    title,
    position: { x, y: 0 },
    ...more,
  });
  const wire = (from: string, to: string) => ({
    from: from === 'files' ? { input: from } : { node: from, port: 'out' },
    to: { node: to, port: 'in' },
  });
  const graph = {
    nodes: [
      step('resize', 0, 'Resize', { map: true, params: { width: 800 } }),
      step('sharpen', 300, 'Sharpen', { map: true }),
      step('pack', 600, 'Pack'),
    ],
    edges: [
      wire('files', 'resize'),
      wire('resize', 'sharpen'),
      wire('sharpen', 'pack'),
      wire('resize', 'pack'),
    ],
    inputs: [{ name: 'files' }],
    variables: [],
  };
  const { body } = await owner.post('/workflows', { name: 'Contact sheets', graph });
  const first = body.latest_version_id as number;
  await owner.post(`/workflows/workflow-versions/${first}/publish`);
  return { server, owner, viewer, graph, workflow: body.id as number, first };
}

describe('versions of a workflow', { skip: withoutBrowser }, () => {
  it('are edited in a draft, compared on one drawing and published after a look', async (t) => {
    const { server, owner, graph, workflow, first } = await stage();
    const page = await openPage(t);
    const person = { email: owner.user.email, password };
    await signInto(page, server, person, `/workflows/${workflow}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByText('Version 2 · Draft').waitFor();
    const second = Number(/versions\/(\d+)/.exec(page.url())?.[1]);
    await page.getByText('Outline', { exact: true }).click();
    await page.getByText('Steps', { exact: true }).waitFor();
    await look(page, 'draft as a list');

    await t.test('with a list of exactly what changed', async () => {
      const { body, headers } = await owner.get(`/workflows/workflow-versions/${second}`);
      const [resize, sharpen, pack] = graph.nodes;
      const changed = {
        ...body.graph,
        nodes: [
          { ...resize, params: { width: 640 } },
          { ...sharpen, title: 'Sharpen a little' },
          { ...pack, position: { x: 700, y: 40 } },
        ],
        edges: graph.edges.slice(0, 3),
      };
      await owner.patch(
        `/workflows/workflow-versions/${second}`,
        { graph: changed },
        { headers: { 'if-match': headers.get('etag') ?? '' } },
      );
      await page.goto(`${server.url}/app/workflows/${workflow}/versions/${second}?from=${first}`);
      const list = page.getByRole('list', { name: 'What changed' });
      await list.waitFor();
      assert.deepEqual(
        await list.getByRole('listitem').allInnerTexts(),
        [
          'Changed: Width of Resize 800 → 640',
          'Removed: Removed the wire from Resize to Pack',
          'Drawing: Renamed Sharpen to Sharpen a little',
          'Drawing: Moved Pack',
        ].map((line) => line.replace(': ', ':\n')),
      );
      await page.keyboard.press('n');
      await page.getByText('2 of 4').waitFor();
      await look(page, 'comparison of versions');
      await page.getByRole('button', { name: 'Close the comparison' }).click();
    });

    await t.test('with faults first, then what publishing changes', async () => {
      await page.getByText('Outline', { exact: true }).click();
      await page.getByRole('button', { name: 'Versions' }).click();
      await page.getByText('Shown here').waitFor();
      await look(page, 'versions in the builder');
      // On a phone it would cover the dialog.
      await page.getByRole('button', { name: 'Versions' }).click();
      await page.getByText('Shown here').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Publish…' }).click();
      await page.getByText('Against version 1, which is published now: 4 changes.').waitFor();
      await page.locator('button:focus', { hasText: 'Publish' }).waitFor();
      await look(page, 'publish');
      const { body: other } = await owner.post(`/workflows/${workflow}/versions`, { graph });
      await owner.post(`/workflows/workflow-versions/${other.id}/publish`);
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await page.getByText('This version could not be published').waitFor();
      await page.getByText('Against version 3, which is published now: 4 changes.').waitFor();
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await page.getByText('Version 2 is published, and never changes.').waitFor();
      const { body } = await owner.get(`/workflows/workflow-versions/${second}`);
      assert.equal(body.state, 'published');
    });
  });

  it('of somebody else are shown, and a copy is offered at once', async (t) => {
    const { server, viewer, workflow, first } = await stage();
    const page = await openPage(t);
    const person = { email: viewer.user.email, password };
    await signInto(page, server, person, `/workflows/${workflow}/versions/${first}`);
    await page.getByText('Version 1 is published, and never changes.').waitFor();
    await page.getByRole('button', { name: 'Edit a copy' }).click();
    await page.getByRole('heading', { name: 'Copy of Contact sheets' }).waitFor();
    await page.getByText('All saved').waitFor();
  });

  it('of a new workflow begin with a name', async (t) => {
    const { server, owner } = await stage();
    const page = await openPage(t);
    const person = { email: owner.user.email, password };
    await signInto(page, server, person, '/workflows');
    await page.getByRole('button', { name: 'New workflow' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Contracts');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Contracts' }).waitFor();
    await page.getByText('Version 1 · Draft').waitFor();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('button', { name: 'Show 1 fault' }).click();
    await page.getByText('The graph has no nodes.').first().waitFor();

    // The table of versions asks in the same way.
    await page
      .getByRole('link', { name: /back|Contracts/i })
      .first()
      .click();
    // The builder, with a button of the same name, stays until the page has been read.
    await page.getByRole('columnheader', { name: 'State' }).waitFor();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('button', { name: 'Show 1 fault' }).click();
    await page.getByText('The graph has no nodes.').first().waitFor();
  });
});
