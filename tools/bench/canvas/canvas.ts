/**
 * `npm run bench -- canvas [--nodes N] [--edges N]`: the builder's canvas in a real Chromium, with a
 * draft of a thousand nodes: how long it takes to open, how long frames take while a node is dragged
 * and the canvas is panned, and how long a key takes until what it does is painted. And without a
 * browser, how long it takes to lead all lines around nodes, a third of which are in their way.
 */
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { waysOf } from '../../../dashboard/src/screens/builder/canvas/ways/ways.ts';
import { buildDashboard } from '../../build-dashboard.ts';
import { launch, signedIn } from '../grid/page.ts';
import { apiOf } from '../http.ts';
import { quantile } from '../measure.ts';
import { type BenchServer, signInAsAdmin, startBenchServer } from '../server.ts';

const moves = 120;
const presses = 40;

/** Measures and prints. @param args of the command line. */
export async function canvas(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      checkout: { type: 'string', default: '.' },
      nodes: { type: 'string', default: '1000' },
      edges: { type: 'string', default: '1600' },
    },
  });
  tellWays(Number(values.nodes), Number(values.edges));
  await buildDashboard();
  const server = await startBenchServer(values.checkout);
  const browser = await launch();
  try {
    const path = await makeDraft(server, Number(values.nodes), Number(values.edges));
    const page = await signedIn(browser, server);
    await measure(page, `${server.url}/app${path}`, Number(values.nodes));
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function makeDraft(server: BenchServer, nodes: number, edges: number): Promise<string> {
  const api = apiOf(server.url, await signInAsAdmin(server));
  const definition = await api('POST', '/node_definitions/', {
    name: 'work',
    version: '1',
    title: 'Work',
    image: '127.0.0.1:5999/tools:1',
    command: ['true'],
    inputs: [
      { name: 'files', cardinality: 'many' },
      { name: 'more', cardinality: 'many', media_types: ['image/*'] },
    ],
    outputs: [{ name: 'out', glob: '*', cardinality: 'one', media_type: 'image/png' }],
  });
  const graph = graphOf(definition.id, nodes, edges);
  const workflow = await api('POST', '/workflows/', { name: 'Large', graph });
  return `/workflows/${workflow.id}/versions/${workflow.latest_version_id}?view=canvas`;
}

const columns = 40;
const placeOf = (index: number, rows: number) => ({
  x: Math.floor(index / rows) * 352,
  y: (index % rows) * 150,
});

/** Every node follows one of the column before, and some a second one up to five columns before. */
function graphOf(definition: number, count: number, edges: number) {
  const rows = Math.ceil(count / columns);
  const key = (index: number) => `n${index}`;
  const wires = Array.from({ length: edges }, (_, index) => {
    const isSecond = index >= count - rows;
    const from = isSecond ? (index * 7) % (count - rows) : index;
    const by = isSecond ? rows * (1 + (index % 5)) + ((index * 13) % 9) - 4 : rows;
    const to = Math.min(count - 1, from + by);
    const port = isSecond ? 'more' : 'files';
    return { from: { node: key(from), port: 'out' }, to: { node: key(to), port } };
  });
  const first = (index: number) => ({
    from: { input: 'files' },
    to: { node: key(index), port: 'files' },
  });
  const inputs = Array.from({ length: rows }, (_, index) => first(index));
  const distinct = new Map([...inputs, ...wires].map((edge) => [JSON.stringify(edge), edge]));
  return {
    nodes: Array.from({ length: count }, (_, index) => ({
      key: key(index),
      node_definition_id: definition,
      title: `Step ${index}`,
      position: placeOf(index, rows),
    })),
    edges: [...distinct.values()].slice(0, edges),
    inputs: [{ name: 'files' }],
    variables: [],
  };
}

/** Of the wires between nodes, from one port each; the same places as on the canvas. */
function tellWays(count: number, edges: number) {
  const { nodes, edges: all } = graphOf(1, count, edges);
  const size = { width: 240, height: 110 };
  const known = new Map(nodes.map(({ key, position }) => [key, position]));
  const boxes = nodes.map(({ key, position }) => ({ id: key, ...position, ...size }));
  const wires = all.flatMap((edge, index) => {
    const source = 'node' in edge.from ? edge.from.node : '';
    const [from, to] = [known.get(source), known.get(edge.to.node)];
    if (!from || !to) return [];
    const start = { x: from.x + size.width + 6, y: from.y + 67 };
    const end = { x: to.x - 6, y: to.y + (edge.to.port === 'more' ? 93 : 67) };
    return [{ id: `${index}`, source, target: edge.to.node, port: source, start, end }];
  });
  const times = Array.from({ length: 30 }, () => {
    const began = performance.now();
    waysOf(boxes, wires);
    return performance.now() - began;
  });
  console.log(`  ${waysOf(boxes, wires).size} of ${wires.length} wires lead around nodes`);
  tell('to find their ways, the first time', times.slice(0, 1));
  tell('to find their ways again', times.slice(1));
}

async function measure(page: Page, url: string, nodes: number): Promise<void> {
  const began = performance.now();
  await page.goto(url);
  await page.locator('.react-flow__node').first().waitFor();
  tell('open', [performance.now() - began]);
  const canvas = await page.locator('.react-flow__pane').boundingBox();
  if (!canvas) throw new Error('The canvas is not drawn.');
  const middle = { x: canvas.x + canvas.width / 2, y: canvas.y + canvas.height / 2 };
  for (const zoom of ['readable', 'all']) {
    if (zoom === 'all') {
      tell('key to paint', await keysToPaint(page));
      await page.getByRole('button', { name: 'Show all' }).click();
    }
    const shown = await page.locator('.react-flow__node').count();
    const elements = await page.locator('*').count();
    console.log(`  ${zoom}: ${shown} nodes have elements of their own, ${elements} in the page`);
    const card = shown > 0 ? await nearestCard(page, middle) : await farCard(page, nodes);
    await tellFrames('drag a node', page, () => wander(page, card));
    const gap = await emptyPlace(page, middle);
    await tellFrames('pan', page, () => wander(page, gap));
  }
}

async function nearestCard(page: Page, { x, y }: { x: number; y: number }) {
  const boxes = (await page.evaluate(`
    [...document.querySelectorAll('.react-flow__node')].map((card) => {
      const { left, top, width } = card.getBoundingClientRect();
      return { x: left + width / 2, y: top + 6 };
    })
  `)) as { x: number; y: number }[];
  const far = (at: { x: number; y: number }) => Math.hypot(at.x - x, at.y - y);
  return boxes.toSorted((a, b) => far(a) - far(b))[0] ?? { x, y };
}

/** A card in the middle of the graph; from afar none has elements until the pointer is on it. */
async function farCard(page: Page, nodes: number) {
  const viewport = await page.locator('.react-flow__viewport').boundingBox();
  const pane = await page.locator('.react-flow__pane').boundingBox();
  if (!viewport || !pane) throw new Error('The canvas is not drawn.');
  const zoom = viewport.width / pane.width;
  const { x, y } = placeOf(Math.floor(nodes / 2), Math.ceil(nodes / columns));
  const at = { x: viewport.x + (x + 120) * zoom, y: viewport.y + (y + 40) * zoom };
  await page.mouse.move(at.x, at.y);
  await page.locator('.react-flow__node').first().waitFor();
  return at;
}

async function emptyPlace(page: Page, { x, y }: { x: number; y: number }) {
  for (let by = 0; by < 400; by += 4) {
    const at = { x: x + by, y: y + by / 2 };
    const isEmpty = await page.evaluate(
      `document.elementFromPoint(${at.x}, ${at.y})?.classList.contains('react-flow__pane')`,
    );
    if (isEmpty) return at;
  }
  throw new Error('There is no free place on the canvas.');
}

/** Moves the pressed mouse around, about a step a frame. */
async function wander(page: Page, { x, y }: { x: number; y: number }) {
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 0; step < moves; step++) {
    const angle = (step / moves) * 4 * Math.PI;
    await page.mouse.move(x + 90 * Math.sin(angle), y + 60 * Math.sin(angle * 0.7));
  }
  await page.mouse.up();
}

/** Prints the time of each frame while something is done, and the processor time of the page. */
async function tellFrames(what: string, page: Page, act: () => Promise<void>): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => {
    const { metrics } = await client.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
  };
  const before = await busy();
  const frames = await framesWhile(page, act);
  const each = ((await busy()) - before) / frames.length;
  tell(what, frames);
  console.log(`    ${each.toFixed(1)} ms of processor time a frame`);
  await client.detach();
}

async function framesWhile(page: Page, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate(`(() => {
    window.frames_ms = [];
    let last;
    const frame = (now) => {
      if (last !== undefined) window.frames_ms.push(now - last);
      last = now;
      window.nextFrame = requestAnimationFrame(frame);
    };
    window.nextFrame = requestAnimationFrame(frame);
  })()`);
  await act();
  return (await page.evaluate(`cancelAnimationFrame(nextFrame), frames_ms`)) as number[];
}

/** From the key that moves a card until the frame with its effect was handed over. */
async function keysToPaint(page: Page): Promise<number[]> {
  await page.locator('.react-flow__node-card [data-card]').first().click();
  await page.getByRole('textbox', { name: 'Title' }).waitFor();
  await page.evaluate(`(() => {
    window.painted_ms = [];
    addEventListener('keydown', (event) => {
      if (event.key === 'Shift') return;
      const pressed = event.timeStamp;
      requestAnimationFrame(() => setTimeout(() => painted_ms.push(performance.now() - pressed)));
    }, { capture: true });
  })()`);
  for (let press = 0; press < presses; press++) {
    await page.keyboard.press(press % 2 ? 'Shift+ArrowDown' : 'Shift+ArrowUp');
    await page.evaluate(`new Promise((done) => {
      const look = () => (painted_ms.length > ${press} ? done() : requestAnimationFrame(look));
      look();
    })`);
  }
  return (await page.evaluate('painted_ms')) as number[];
}

function tell(what: string, times: number[]) {
  const at = (part: number) => `${quantile(times, part).toFixed(1)} ms`;
  const words =
    times.length === 1 ? at(0.5) : `p50 ${at(0.5)}, p95 ${at(0.95)}, ${times.length} times`;
  console.log(`  ${what}: ${words}`);
}
