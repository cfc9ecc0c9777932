/** The events of a run that is watched, for parts of the page that keep more than the run has. */
import type { RunEvent } from '@cogworks/sdk/run-events';

export class RunNews {
  readonly #listeners = new Set<(event: RunEvent) => void>();

  subscribe(listener: (event: RunEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: RunEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
