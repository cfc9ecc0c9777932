/** Serializes work by name. Waiting callers hold no other resource. */

export class Gate {
  /** For each name, resolves when the last caller in line has left. */
  readonly #lines = new Map<string, Promise<void>>();

  /**
   * Waits until earlier callers with the same name have left.
   *
   * @returns a function to leave, to be called once; undefined if the wait was too long.
   */
  async enter(name: string, wait_ms: number): Promise<(() => void) | undefined> {
    const ahead = this.#lines.get(name);
    const { promise: through, resolve: leave } = Promise.withResolvers<void>();
    const line = (ahead ?? Promise.resolve()).then(() => through);
    this.#lines.set(name, line);
    void line.then(() => {
      if (this.#lines.get(name) === line) this.#lines.delete(name);
    });
    if (ahead === undefined) return leave;

    const { promise: late, resolve: expire } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => expire('late'), wait_ms);
    const outcome = await Promise.race([ahead, late]);
    clearTimeout(timer);
    if (outcome !== 'late') return leave;
    // Later callers now wait for the one before us.
    leave();
    return undefined;
  }
}
