/** The server's own words on stdout and stderr: nice to have, never a reason to end. */

/** The terminal may be closed, the pipe's reader gone, the disk of a log file full. */
export function surviveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
