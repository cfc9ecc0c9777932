/**
 * The system calls a tenant's program may make: the engine's allow list, made stricter. With the
 * engine's list alone, a container without any capability could still create a user namespace and
 * mount file systems inside it; most container escapes of recent years began that way.
 */
import { readFile } from 'node:fs/promises';

type Profile = {
  syscalls: Rule[];
  [other: string]: unknown;
};

type Rule = {
  names: string[];
  action: string;
  errnoRet?: number;
  args?: { index: number; value: number; valueTwo?: number; op: string }[];
  includes?: { arches?: string[]; caps?: string[] };
  excludes?: { arches?: string[]; caps?: string[] };
};

const refusedCalls = new Set([
  ...['unshare', 'setns', 'mount', 'umount', 'umount2', 'mount_setattr', 'move_mount', 'open_tree'],
  ...['fsopen', 'fsmount', 'fsconfig', 'fspick', 'pivot_root', 'chroot'],
  ...[
    'keyctl',
    'add_key',
    'request_key',
    'ptrace',
    'process_vm_readv',
    'process_vm_writev',
    'kcmp',
  ],
  ...['bpf', 'perf_event_open', 'userfaultfd', 'io_uring_setup', 'io_uring_enter'],
  ...['io_uring_register', 'name_to_handle_at', 'open_by_handle_at', 'fanotify_init', 'quotactl'],
  ...['kexec_load', 'kexec_file_load', 'init_module', 'finit_module', 'delete_module', 'reboot'],
]);
/** Allowed again below, with a condition on their arguments. */
const conditionalCalls = new Set(['clone', 'clone3', 'socket', 'socketcall']);

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const newNamespaces = 0x7e020000;
const EPERM = 1;
const ENOSYS = 38;
/** AF_ALG; AF_VSOCK (40) reaches the hypervisor in spite of network namespaces. */
const firstUnusualFamily = 38;

/** Where Debian, Fedora and Alpine install the profile that podman itself would use. */
const engineProfiles = [
  '/usr/share/containers/seccomp.json',
  '/etc/containers/seccomp.json',
  '/usr/local/share/containers/seccomp.json',
];

/** The stricter profile, or null if the engine has no profile to start from. */
export async function strictProfile(): Promise<string | null> {
  for (const path of engineProfiles) {
    const text = await readFile(path, 'utf8').catch(() => null);
    const profile = text === null ? null : profileOf(text);
    if (profile) return JSON.stringify(makeStrict(profile));
  }
  return null;
}

/** @returns null if the file is damaged or not a profile. */
function profileOf(text: string): Profile | null {
  try {
    const profile = JSON.parse(text);
    return Array.isArray(profile?.syscalls) ? profile : null;
  } catch {
    return null;
  }
}

export function makeStrict(profile: Profile): Profile {
  const kept = profile.syscalls
    .map((rule) => ({
      ...rule,
      names: rule.names.filter((name) => !refusedCalls.has(name) && !conditionalCalls.has(name)),
    }))
    .filter((rule) => rule.names.length > 0);

  return {
    ...profile,
    syscalls: [
      ...kept,
      { names: [...refusedCalls], action: 'SCMP_ACT_ERRNO', errnoRet: EPERM },
      // On s390 the flags are the second argument; a rule for the first would allow everything.
      {
        names: ['clone'],
        action: 'SCMP_ACT_ALLOW',
        args: [{ index: 0, value: newNamespaces, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
        excludes: { arches: ['s390', 's390x'] },
      },
      // Its flags are behind a pointer, which filters cannot read. The C libraries fall back to
      // clone.
      { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
      {
        names: ['socket'],
        action: 'SCMP_ACT_ALLOW',
        args: [{ index: 0, value: firstUnusualFamily, op: 'SCMP_CMP_LT' }],
      },
    ],
  };
}
