/** Settings › Profile: my name, how the pages look here, and leaving the organization. */
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
    <Screen title="Profile" description={me.data?.email}>
      <Await query={me}>
        {(known) => (
          <>
            <Section
              title="Name"
              lead="As others see you where you share, run and change something."
            >
              <NameForm me={known} />
            </Section>
            <Section title="Appearance" lead="In this browser.">
              <Appearance />
            </Section>
            <Leaving />
          </>
        )}
      </Await>
    </Screen>
  );
}
