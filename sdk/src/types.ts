/** What the modules over the operations need of a file, until the contract names it. */
export type Cog = { id: number; name: string };
