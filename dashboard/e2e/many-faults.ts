/** A graph of forty faults for the test of the builder, and a script that follows them by the list. */
import type { BuilderWorld } from './builder-world.ts';

const crops = Array.from({ length: 39 }, (_, at) => at);

/**
 * Presses every fourth row about a width.
 *
 * @returns the steps that are selected and in view then, with what the field that has the focus
 *   says.
 */
export const followFaults = `(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const seen = [];
  for (const row of document.querySelectorAll('[aria-label="Faults"] button')) {
    const [, key, at] = /"width" of "(crop(\\d+))"/.exec(row.textContent) ?? [];
    if (at % 4 !== 2) continue;
    row.click();
    const now = () => {
      const step = document.querySelector('[data-selected] [data-step]');
      const { top, bottom } = step?.getBoundingClientRect() ?? { top: -1, bottom: -1 };
      const isInView = top >= 0 && bottom <= innerHeight;
      return [isInView ? step.dataset.step : undefined, document.activeElement.value];
    };
    for (let frames = 0; frames < 100 && now()[0] !== key; frames++) await frame();
    // Until then the row itself has the focus, or the field of the row before.
    const isThere = () =>
      document.activeElement.matches('input') && now()[1] !== seen.at(-1)?.[1];
    for (let frames = 0; frames < 100 && !isThere(); frames++) await frame();
    seen.push(now());
  }
  return Object.fromEntries(seen);
})()`;

/** What that answers if each row leads to the field that it is about. */
export const followedFaults = Object.fromEntries(
  crops.filter((at) => at % 4 === 2).map((at) => [`crop${at}`, String(-at - 1)]),
);

/** Thirty-nine settings that do not fit, and a wire to a port that is gone. */
export function manyFaults({ split, crop }: BuilderWorld) {
  return {
    nodes: [
      { key: 'split', node_definition_id: split },
      ...crops.map((at) => ({
        key: `crop${at}`,
        node_definition_id: crop,
        map: true,
        params: { width: -at - 1 },
      })),
    ],
    inputs: [{ name: 'scans' }],
    edges: [
      { from: { input: 'scans' }, to: { node: 'split', port: 'pdf' } },
      ...crops.map((at) => ({
        from: { node: 'split', port: 'pages' },
        to: { node: `crop${at}`, port: at === 7 ? 'gone' : 'image' },
      })),
    ],
    variables: [],
  };
}
