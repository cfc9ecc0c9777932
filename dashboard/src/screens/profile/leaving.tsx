/** Leaving the organization, which disables the own account. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useOrganization } from '../../organization.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Section } from './section.tsx';

export function Leaving() {
  const { data: organization } = useOrganization();
  const [isAsking, setAsking] = useState(false);
  const leave = useMutation({
    mutationFn: () => api.leaveTenant(),
    // The session has ended; the page that loads anew leads to signing in.
    onSuccess: () => location.assign('/app/'),
  });
  const close = () => {
    setAsking(false);
    leave.reset();
  };
  const name = organization?.name;
  return (
    <Section
      title={t`Leave`}
      lead={t`Your account ends. Files, workflows and runs stay with the organization.`}
    >
      <Button variant="default" c="var(--mantine-color-error)" onClick={() => setAsking(true)}>
        {name === undefined ? t`Leave the organization…` : t`Leave ${name}…`}
      </Button>
      <Confirm
        opened={isAsking}
        title={name === undefined ? t`Leave the organization` : t`Leave ${name}`}
        verb={t`Leave`}
        otherwise={t`Stay`}
        isBusy={leave.isPending || leave.isSuccess}
        error={leave.error}
        onConfirm={() => leave.mutate()}
        onClose={close}
      >
        <Trans>
          You are signed out at once, everywhere, and cannot sign in any more. Your API keys stop,
          and triggers that run in your name turn off. What you own stays, for administrators to
          hand over. Only an administrator can enable your account again.
        </Trans>
      </Confirm>
    </Section>
  );
}
