/** Finds the container engine of this machine and makes it ready. The worker calls this once. */
import { type EngineFiles, writeEngineFiles } from './engine-files.ts';
import { podmanEngine } from './podman.ts';
import { findInit, findProgram, noEngine, probePodman } from './probe.ts';
import type { ContainerEngine, EngineOptions, EngineReport } from './types.ts';

export type OpenedEngine =
  | { report: EngineReport; engine: ContainerEngine }
  /** `report.problem` says why, `report.remedy` what to type. */
  | { report: EngineReport; engine: null };

export async function openEngine(options: EngineOptions): Promise<OpenedEngine> {
  const command = options.command ?? (await findProgram('podman'));
  if (!command) return { report: noEngine(), engine: null };

  let files = await writeEngineFiles(options, 'overlay');
  let env = engineEnvironment(files);
  let report = await probePodman(command, env, files);
  if (!report.usable && /overlay/.test(report.problem ?? '')) {
    // A data directory that is itself on an overlay (a container's disk) takes no second one.
    files = await writeEngineFiles(options, 'vfs');
    env = engineEnvironment(files);
    report = await probePodman(command, env, files);
    report.warnings.push(`Images are stored without overlay, which is slow: ${options.state_dir}`);
  }
  if (!report.usable) return { report, engine: null };

  const engine = podmanEngine({
    command,
    env,
    report,
    installation: options.installation,
    scratch: files.scratch,
    seccomp: files.seccomp,
    open_files: files.open_files,
    // Without root, groups belong to the user's systemd, which names them itself.
    cgroup: report.rootless ? null : files.cgroup,
    has_init: (await findInit()) !== null,
    warn: options.warn ?? (() => undefined),
  });
  return { report, engine };
}

/** Only what the engine needs: the worker's own environment holds its token. */
function engineEnvironment(files: EngineFiles): NodeJS.ProcessEnv {
  const kept = [
    ...[
      'PATH',
      'HOME',
      'XDG_RUNTIME_DIR',
      'DBUS_SESSION_BUS_ADDRESS',
      'CONTAINERS_REGISTRIES_CONF',
    ],
    ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
    ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'TMPDIR'],
  ];
  const env: NodeJS.ProcessEnv = {
    CONTAINERS_CONF: files.containers_conf,
    CONTAINERS_STORAGE_CONF: files.storage_conf,
  };
  for (const name of kept) if (process.env[name] !== undefined) env[name] = process.env[name];
  env.PATH = `${env.PATH ?? '/usr/bin:/bin'}:/usr/sbin:/sbin`;
  return env;
}
