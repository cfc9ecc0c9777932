/** Lets one at a time through for each name. Whoever waits holds nothing but its place. */

export class Gate {
  /** Of each name, when the last one in line is through. */
  readonly #lines = new Map<string, Promise<void>>();

  /**
   * Waits until those that came before with the same name have left.
   *
   * @returns leaves the gate; call it once. Undefined when the wait was too long.
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
    // Those behind now wait for whoever was ahead of us.
    leave();
    return undefined;
  }
}
