/** The server's output on stdout and stderr: failing to write it must not end the server. */

/** The terminal may be closed, the pipe's reader gone, the disk of a log file full. */
export function surviveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
