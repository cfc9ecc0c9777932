/** What the dialogs of secrets hold, and what becomes of it. Pure. */
import type { NewSecret } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';

export type Kind = NewSecret['kind'];

export type SecretForm = {
  kind: Kind;
  /** Empty: the proposed one. */
  name: string;
  value: string;
  server: string;
  username: string;
  password: string;
};

export const emptyForm: SecretForm = {
  ...{ kind: 'generic', name: '', value: '' },
  ...{ server: '', username: '', password: '' },
};

/** A name as the service takes it, of what somebody types: `my-key` becomes `MY_KEY`. */
export const asName = (text: string): string =>
  text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/^[_0-9]+/, '')
    .slice(0, 64);

/** The given name, else one that says which registry it is for. */
export function nameOf({ kind, name, server }: SecretForm): string {
  if (name !== '' || kind === 'generic' || server.trim() === '') return name;
  return asName(`REGISTRY_${server.trim()}`).replace(/_+$/, '');
}

/** The value as the service takes it; undefined while a part is missing. */
export function secretValue(form: SecretForm): NewSecret['value'] | undefined {
  if (form.kind === 'generic') return form.value === '' ? undefined : form.value;
  const [server, username] = [form.server.trim(), form.username.trim()];
  const { password } = form;
  return server && username && password ? { server, username, password } : undefined;
}

/** Faults of the value are shown beside its fields, all others above. */
export function faultsOf(error: unknown) {
  const faults = error instanceof ApiError ? error.fields : [];
  return { faults, isBeside: faults.length > 0 && faults.every(({ loc }) => loc[1] === 'value') };
}
