/** What a container takes and a machine has. `gpu` is a count, `cpu` may be a fraction of one. */
export type Resources = { cpu: number; memory_mb: number; gpu: number; disk_mb: number };
