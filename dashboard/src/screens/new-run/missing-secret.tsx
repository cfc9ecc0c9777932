/** Leads an administrator to where the secret is added without which a run does not start. */
import { ApiError } from '@cogworks/sdk/errors';
import { Trans } from '@lingui/react/macro';
import { IconKey } from '@tabler/icons-react';
import { useMe } from '../../people.ts';
import { ButtonLink } from '../../ui/button-link.tsx';

export function MissingSecret({ error }: { error: unknown }) {
  const { data: me } = useMe();
  const isMissing =
    error instanceof ApiError &&
    (error.code === 'registry_credentials_missing' ||
      error.fields.some(({ type }) => type === 'unknown_secret'));
  if (!isMissing || me?.role !== 'admin') return null;
  return (
    <ButtonLink to="/settings/secrets" variant="default" leftSection={<IconKey size={17} />}>
      <Trans>Go to the secrets</Trans>
    </ButtonLink>
  );
}
