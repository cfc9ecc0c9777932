/**
 * What slices may ask of runs and attempts. The tables are the engine's: it alone writes them,
 * and its statements are reached through here.
 */
export {
  addUploads,
  findAttempt,
  findHeld,
  leaseSeconds,
  markContainerStarted,
  renewLeases,
  shortenLeases,
} from './attempt-queries.ts';
export {
  findInputFiles,
  findNodeRun,
  findOutputsOf,
  findRun,
  findRunNodes,
  lockRun,
} from './queries.ts';
export {
  addInputFiles,
  addRun,
  markSuperseded,
  type NewInputFile,
  type NewRun,
} from './run-queries.ts';
