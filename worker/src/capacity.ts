/** A worker's capacity, and how much of it is in use. */
import { statfsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import type { Resources } from '@cogworks/graph/resources';

/** This machine's resources, less a reserve for the machine itself. `dir` selects the disk. */
export function machineCapacity(dir: string): Resources {
  const disk = statfsSync(dir);
  return {
    cpu: availableParallelism(),
    memory_mb: Math.floor((totalmem() / 1024 / 1024) * 0.8),
    gpu: 0,
    disk_mb: Math.floor(((disk.bavail * disk.bsize) / 1024 / 1024) * 0.8),
  };
}

const nothing: Resources = { cpu: 0, memory_mb: 0, gpu: 0, disk_mb: 0 };

export function sumOf(parts: Resources[]): Resources {
  return parts.reduce(
    (sum, part) => ({
      cpu: sum.cpu + part.cpu,
      memory_mb: sum.memory_mb + part.memory_mb,
      gpu: sum.gpu + part.gpu,
      disk_mb: sum.disk_mb + part.disk_mb,
    }),
    nothing,
  );
}
