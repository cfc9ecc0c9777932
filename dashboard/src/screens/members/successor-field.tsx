/** Who takes over what a disabled person owns. */
import type { User } from '@cogworks/sdk/contract.gen';
import { useMe } from '../../people.ts';
import { PersonField } from '../../person-field.tsx';

type Props = {
  of: User;
  chosen: User | undefined;
  onChoose: (user: User | undefined) => void;
};

export function SuccessorField({ of, chosen, onChoose }: Props) {
  const { data: me } = useMe();
  const triggers =
    chosen && chosen.id !== me?.id
      ? ' Triggers stay off until they turn them on, because these then run with their rights.'
      : '';
  return (
    <PersonField
      label="Who takes over"
      description={`Workflows, triggers, notices to URLs and images follow at once, files and folders within minutes.${triggers}`}
      chosen={chosen}
      onChoose={onChoose}
      isOffered={({ id, status }) => status === 'active' && id !== of.id}
    />
  );
}
