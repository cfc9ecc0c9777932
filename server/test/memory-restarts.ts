/** Runs of a MemoryStore that take over from earlier ones. */
import { matchOf } from '../src/engine/kernel/match.ts';
import type { MemoryStore } from './memory-store.ts';
import type { Chosen } from './reference-run.ts';

type Variables = Record<string, number | boolean>;

export function restart(store: MemoryStore, id: number, extra_variables: Variables): number {
  const { run } = store.stored(id);
  const before = run.extra_variables as Record<string, unknown>;
  const changed = Object.keys(extra_variables).filter(
    (name) => extra_variables[name] !== before[name],
  );
  return store.start({
    ...{ extra_variables, on_failure: run.on_failure, restarted_from_run_id: id },
    restart_mode: run.status === 'success' ? 'all' : 'failed',
    restart_touched: store.plan.nodes.flatMap(({ key, node, definition }) => {
      const text = JSON.stringify([definition.command, node.when ?? '']);
      return changed.some((name) => text.includes(`vars.${name}`)) ? [key] : [];
    }),
  });
}

/** Restarts these node runs, and what depends on them. */
export function restartOnly(store: MemoryStore, id: number, only: readonly Chosen[]): number {
  const { extra_variables, on_failure } = store.stored(id).run;
  return store.start({
    ...{ extra_variables, on_failure, restarted_from_run_id: id },
    ...{ restart_mode: 'failed', restart_touched: [], restart_only: [...only] },
  });
}

/** Starts the same graph over the same files, and takes over what is the same in that run. */
export function startFrom(store: MemoryStore, id: number, extra_variables: Variables): number {
  const { run, counts, firstIds } = store.stored(id);
  const files = store.files.map((file, position) => ({ ...file, input_name: 'files', position }));
  const here = { plan: store.plan, files };
  const now = { ...here, variables: extra_variables };
  const match = matchOf(now, { ...here, variables: run.extra_variables });
  const given = { extra_variables, on_failure: run.on_failure, reuse_from_run_id: id };
  return store.start(given, { counts, firstIds, rows: new Map(), match });
}
