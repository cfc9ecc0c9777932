import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Plan } from './kernel/plan.ts';
import { Plans } from './plans.ts';

const megabyte = 1024 * 1024;
const name = (text: string, tenant_id = 1) => ({ tenant_id, graph_hash: Buffer.from(text) });
const plan = (megabytes: number) => ({ bytes: megabytes * megabyte }) as Plan;

/** Which of these plans are still cached. */
function keptOf(plans: Plans, ...texts: string[]): string[] {
  return texts.filter((text) => plans.find(name(text)) !== undefined);
}

describe('plans', () => {
  it('are kept up to 16 MB, those used last', () => {
    const plans = new Plans();
    for (const text of ['a', 'b', 'c']) plans.keep(name(text), plan(5));

    plans.find(name('a'));
    plans.keep(name('d'), plan(5));

    assert.deepEqual(keptOf(plans, 'a', 'b', 'c', 'd'), ['a', 'c', 'd']);
  });

  it('make room for a big one as far as it needs', () => {
    const plans = new Plans();
    for (const text of ['a', 'b', 'c', 'd']) plans.keep(name(text), plan(4));

    plans.keep(name('big'), plan(8));

    assert.deepEqual(keptOf(plans, 'a', 'b', 'c', 'd', 'big'), ['c', 'd', 'big']);
  });

  it('of more than all of it stay until the next one comes', () => {
    const plans = new Plans();
    plans.keep(name('a'), plan(1));
    plans.keep(name('huge'), plan(20));
    assert.deepEqual(keptOf(plans, 'a', 'huge'), ['huge']);

    plans.keep(name('b'), plan(1));

    assert.deepEqual(keptOf(plans, 'huge', 'b'), ['b']);
  });

  it('count once, however often they are kept', () => {
    const plans = new Plans();
    for (let times = 0; times < 10; times += 1) plans.keep(name('a'), plan(8));
    plans.keep(name('b'), plan(8));

    assert.deepEqual(keptOf(plans, 'a', 'b'), ['a', 'b']);
  });

  it("are each tenant's own, though their graphs are the same", () => {
    const plans = new Plans();
    plans.keep(name('a', 1), plan(1));

    assert.equal(plans.find(name('a', 2)), undefined);
  });
});
