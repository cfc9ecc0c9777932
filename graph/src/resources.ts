/** The resources a container needs or a machine has. `gpu` is a count, `cpu` may be a fraction. */
export type Resources = { cpu: number; memory_mb: number; gpu: number; disk_mb: number };

/** The most that a definition may be given of what its containers are stopped for. */
export const mostOf = { memory_mb: 4_194_304, disk_mb: 16_777_216, timeout_seconds: 604_800 };
