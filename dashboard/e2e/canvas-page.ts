/** The canvas of the builder, and what tests do on it with the mouse. */
import type { Locator, Page } from 'playwright-core';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { type Client, cast } from '../../server/test/cast.ts';
import { scriptedWorker } from '../../server/test/worker.ts';
import { registerNode, storeCredentials } from '../../server/test/workflows.ts';

const text = 'text/plain';
const password = 'correct horse battery';

async function catalogueOf(admin: Client) {
  const define = (
    [name, title]: [string, string],
    [takes, port]: [string, 'one' | 'many'],
    makes: string,
    over: Record<string, unknown> = {},
  ) =>
    registerNode(admin, {
      name,
      title,
      inputs: [{ name: 'in', cardinality: port, media_types: [takes] }],
      outputs: [{ name: 'out', glob: '*', cardinality: 'one', media_type: makes }],
      ...over,
    });
  const params = { type: 'object', properties: { word: { type: 'string', title: 'Word' } } };
  return {
    clean: await define(['clean', 'Clean'], [text, 'one'], text),
    shout: await define(['shout', 'Shout'], [text, 'one'], text, { params }),
    join: await define(['join', 'Join'], [text, 'many'], text),
    draw: await define(['draw', 'Draw'], [text, 'one'], 'image/png'),
    print: await define(['print', 'Print'], ['application/pdf', 'one'], text),
    wrap: await define(['wrap', 'Image to PDF'], ['image/png', 'one'], 'application/pdf'),
  };
}

/** An administrator with a catalogue, a letter and two workflows. */
export async function workflows() {
  const { server, admin } = await cast();
  await setPassword(server.services.db, admin.user.id, password, { must_change: false });
  await storeCredentials(admin);
  const definitions = await catalogueOf(admin);
  await admin.upload('letter.txt', 'dear reader');
  const create = async (name: string, graph: object) => {
    const { body } = await admin.post('/workflows', { name, graph });
    return `/workflows/${body.id}/versions/${body.latest_version_id}?view=canvas`;
  };
  const empty = { nodes: [], edges: [], inputs: [{ name: 'letters' }], variables: [] };
  const node = (key: string, title: string, id: number, x: number, y = 0) => ({
    key,
    title,
    node_definition_id: id,
    position: { x, y },
  });
  const wires = {
    ...empty,
    nodes: [
      node('draw', 'Draw', definitions.draw, 0),
      node('print', 'Print', definitions.print, 300),
      node('clean', 'Clean', definitions.clean, 0, 200),
      node('shout', 'Shout', definitions.shout, 600, 200),
    ],
    edges: [
      { from: { input: 'letters' }, to: { node: 'draw', port: 'in' } },
      { from: { node: 'clean', port: 'out' }, to: { node: 'shout', port: 'in' } },
    ],
  };
  return {
    server,
    admin,
    worker: await scriptedWorker(server, admin.user.tenant_id),
    person: { email: admin.user.email, password },
    built: await create('Letters', empty),
    wired: await create('Wires', wires),
  };
}

export const card = (page: Page, title: string) =>
  page.locator('.react-flow__node').filter({ has: page.locator(`[title="${title}"]`) });
export const port = (page: Page, title: string, side: 'left' | 'right') =>
  card(page, title).locator(`.react-flow__handle-${side}`).first();

export async function middle(of: Locator) {
  const box = await of.boundingBox();
  if (!box) throw new Error('not drawn');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Draws a wire, and lets go of it unless the test wants to look first. */
export async function draw(page: Page, from: Locator, to: Locator | { x: number; y: number }) {
  const start = await middle(from);
  const end = 'x' in to ? to : await middle(to);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2, { steps: 3 });
  await page.mouse.move(end.x, end.y, { steps: 3 });
  return { letGo: () => page.mouse.up() };
}

export const showAll = (page: Page) => page.getByRole('button', { name: 'Show all' }).click();

/** Drags a step from the palette to a place right of another one and below it. */
export async function dragIn(page: Page, title: string, behind: string) {
  const { x, y } = await middle(port(page, behind, 'right'));
  const canvas = page.locator('.react-flow__pane');
  const box = await canvas.boundingBox();
  await page
    .getByRole('complementary', { name: /to add/ })
    .getByRole('button', { name: new RegExp(`^${title}`) })
    .dragTo(canvas, { targetPosition: { x: x + 60 - (box?.x ?? 0), y: y + 110 - (box?.y ?? 0) } });
  await card(page, title).waitFor();
  await showAll(page);
}

/** Into `window.pressed`: how many keys were pressed. */
export const countKeys = (page: Page) =>
  page.evaluate(`
    window.pressed = 0;
    addEventListener('keydown', () => { window.pressed += 1; }, { capture: true });
  `);

/** Where a place of the graph is on the screen. */
export async function onCanvas(page: Page, { x, y }: { x: number; y: number }) {
  const view = await page.locator('.react-flow__viewport').boundingBox();
  const pane = await page.locator('.react-flow__pane').boundingBox();
  if (!view || !pane) throw new Error('not drawn');
  const zoom = view.width / pane.width;
  return { x: view.x + x * zoom, y: view.y + y * zoom };
}

/** How many curves the wires have that are drawn from afar. */
export const bendsFromAfar = `[...document.querySelectorAll('[data-level="shapes"] path')]
  .map((path) => path.getAttribute('d').split('C').length - 1)
  .reduce((sum, count) => sum + count, 0)`;

export const wiresOf = (page: Page) => page.locator('.react-flow__edge');

/** Into the box about a note or a frame. */
export async function write(page: Page, title: string, text: string) {
  const box = page.getByRole('dialog', { name: title });
  await box.getByLabel('Text').fill(text);
  await box.getByRole('button', { name: 'Save note' }).click();
  await box.waitFor({ state: 'detached' });
}

type Box = { x: number; y: number; width: number; height: number };

export async function boxes(...of: Locator[]): Promise<[Box, Box, Box]> {
  const found = await Promise.all(of.map((one) => one.boundingBox()));
  const nowhere = { x: 0, y: 0, width: 0, height: 0 };
  const [first = nowhere, second = nowhere, third = nowhere] = found.map((box) => box ?? nowhere);
  return [first, second, third];
}

export const contains = (outer: Box, inner: Box) =>
  inner.width > 0 &&
  outer.x <= inner.x &&
  outer.y <= inner.y &&
  outer.x + outer.width >= inner.x + inner.width &&
  outer.y + outer.height >= inner.y + inner.height;
