/** Schedules for tests, and servers that were away when a tick was due. */
import assert from 'node:assert/strict';
import type { Client } from './cast.ts';
import { type Stage, versionOf } from './runs.ts';
import { mappedGraph, registerNode } from './workflows.ts';

/** Once an hour, half an hour from now: no tick comes during a test. */
export const hourly = () => `${(new Date().getUTCMinutes() + 30) % 60} * * * *`;

export type Scheduled = { id: number; file: number };

export async function hourlyTrigger(
  people: Stage,
  given: Record<string, unknown> = {},
  by: Client = people.owner,
): Promise<Scheduled> {
  const version = await versionOf(by, mappedGraph(await registerNode(by)));
  const file = (await by.upload(`${version}.txt`, 'bytes')).body.id;
  const { status, body } = await by.post('/workflows/triggers', {
    name: 'Hourly',
    type: 'schedule',
    cron: hourly(),
    workflow_version_id: version,
    cog_ids: [file],
    ...given,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return { id: body.id, file };
}

/** As if no server had run for so long, after what was decided before. */
export async function away({ server }: Stage, { id }: Scheduled, hours: number) {
  await server.services.db`
    update firings set tick_at = tick_at - ${hours} * interval '1 hour' where trigger_id = ${id}
  `;
  await server.services.db`
    update triggers
    set last_tick_at = now() - ${hours} * interval '1 hour',
        next_fire_at = now() - ${hours - 1} * interval '1 hour' - interval '30 minutes'
    where id = ${id}
  `;
}

export type Firing = {
  state: string;
  reason?: string;
  workflow_run_id?: number;
  tick_at: string;
  decided_at: string;
  ticks: number;
};

export const firings = async (client: Client, { id }: Scheduled): Promise<Firing[]> =>
  (await client.get(`/workflows/triggers/${id}/firings`)).body.toReversed();
export const states = async (client: Client, trigger: Scheduled) =>
  (await firings(client, trigger)).map(({ state }) => state);
export const shown = async (client: Client, { id }: Scheduled) =>
  (await client.get(`/workflows/triggers/${id}`)).body;
