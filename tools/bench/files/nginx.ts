/** nginx over one folder: how fast this machine sends files. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findProgram } from '../../../worker/src/containers/probe.ts';
import { stopInAnyCase } from '../cleanup.ts';

export type Nginx = { url: string; stop(): Promise<void> };

/** @returns undefined if it is not installed. */
export async function startNginx(folder: string): Promise<Nginx | undefined> {
  const program = await findProgram('nginx', `${process.env.PATH}:/usr/sbin`);
  if (!program) return undefined;
  const port = await freePort();
  const settings = join(folder, 'nginx.conf');
  await writeFile(settings, configuration(folder, port));
  const child = spawn(program, ['-p', folder, '-c', settings, '-e', 'stderr'], {
    stdio: 'inherit',
  });
  const exited = once(child, 'exit');
  exited.catch(() => undefined);
  const url = `http://127.0.0.1:${port}/`;
  for (let tries = 0; tries < 100; tries += 1) {
    if (await fetch(url).catch(() => undefined)) break;
    await delay(20);
  }
  return {
    url,
    stop: stopInAnyCase(async () => {
      child.kill('SIGTERM');
      await exited;
    }),
  };
}

/** Its worker runs as the current user, because only that user may read the folder. */
const configuration = (folder: string, port: number) => `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
error_log stderr crit;
worker_processes 1;
pid ${join(folder, 'nginx.pid')};
events {}
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  client_body_temp_path ${join(folder, 'nginx-body')};
  proxy_temp_path ${join(folder, 'nginx-proxy')};
  fastcgi_temp_path ${join(folder, 'nginx-fastcgi')};
  uwsgi_temp_path ${join(folder, 'nginx-uwsgi')};
  scgi_temp_path ${join(folder, 'nginx-scgi')};
  server {
    listen 127.0.0.1:${port};
    root ${folder};
  }
}
`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
