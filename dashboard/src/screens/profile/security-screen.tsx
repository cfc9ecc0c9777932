/** Settings › Security: my password, and where I am signed in. */

import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { publicApi } from '../../api.ts';
import { useMe } from '../../people.ts';
import { Await } from '../../ui/await.tsx';
import { Screen } from '../../ui/screen.tsx';
import { PasswordForm } from './password-form.tsx';
import { Section } from './section.tsx';
import { Sessions } from './sessions.tsx';

export function SecurityScreen() {
  const me = useMe();
  return (
    <Screen title={t`Security`} description={t`Your password, and where you are signed in.`}>
      <Await query={me}>
        {({ sign_in }) => (
          <>
            {sign_in === 'external' ? <Elsewhere /> : <Password />}
            <Section
              title={t`Sessions`}
              lead={t`Where you are signed in. End what you do not know, and change your password then.`}
            >
              <Sessions />
            </Section>
          </>
        )}
      </Await>
    </Screen>
  );
}

const Password = () => (
  <Section
    title={t`Password`}
    lead={t`At least 8 characters, and not your e-mail address; a few unrelated words are good. A new password signs you out everywhere else. API keys stay.`}
  >
    <PasswordForm />
  </Section>
);

function Elsewhere() {
  const { data: config } = useQuery({
    queryKey: ['sign-in-config'],
    queryFn: () => publicApi.getSignInConfig(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const name = config?.external?.name;
  return (
    <Section title={t`Password`} lead={t`Kept by your identity provider, not here.`}>
      <Text>
        {name === undefined
          ? t`Change it where you sign in.`
          : t`You sign in at ${name}. Change it there.`}
      </Text>
    </Section>
  );
}
