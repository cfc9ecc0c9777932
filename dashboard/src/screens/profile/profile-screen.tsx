/** Settings › Profile: my name, how the pages look here, and leaving the organization. */
import { t } from '@lingui/core/macro';
import { useMe } from '../../people.ts';
import { Await } from '../../ui/await.tsx';
import { Screen } from '../../ui/screen.tsx';
import { Appearance } from './appearance.tsx';
import { Leaving } from './leaving.tsx';
import { NameForm } from './name-form.tsx';
import { Section } from './section.tsx';

export function ProfileScreen() {
  const me = useMe();
  return (
    <Screen title={t`Profile`} description={me.data?.email}>
      <Await query={me}>
        {(known) => (
          <>
            <Section
              title={t`Name`}
              lead={t`As others see you where you share, run and change something.`}
            >
              <NameForm me={known} />
            </Section>
            <Section title={t`Appearance`} lead={t`In this browser.`}>
              <Appearance />
            </Section>
            <Leaving />
          </>
        )}
      </Await>
    </Screen>
  );
}
