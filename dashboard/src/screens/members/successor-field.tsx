/** Who takes over what a disabled person owns. */
import type { User } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { useMe } from '../../people.ts';
import { PersonField } from '../../person-field.tsx';

type Props = {
  of: User;
  chosen: User | undefined;
  onChoose: (user: User | undefined) => void;
};

export function SuccessorField({ of, chosen, onChoose }: Props) {
  const { data: me } = useMe();
  const follows = [
    t`Workflows, triggers, notices to URLs and images follow at once, files and folders within minutes.`,
    ...(chosen && chosen.id !== me?.id
      ? [t`Triggers stay off until they turn them on, because these then run with their rights.`]
      : []),
  ];
  return (
    <PersonField
      label={t`Who takes over`}
      description={follows.join(' ')}
      chosen={chosen}
      onChoose={onChoose}
      isOffered={({ id, status }) => status === 'active' && id !== of.id}
    />
  );
}
