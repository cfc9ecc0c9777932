/** The resources a container needs or a machine has. `gpu` is a count, `cpu` may be a fraction. */
export type Resources = { cpu: number; memory_mb: number; gpu: number; disk_mb: number };
