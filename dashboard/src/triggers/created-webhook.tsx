/** The address and the secret of a new webhook, once: no later answer has the secret. */
import type { CreatedTrigger } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { CopyField } from '../ui/copy-field.tsx';
import { SecretToSave } from '../ui/secret-to-save.tsx';
import { SendingExample } from './sending-example.tsx';

type Props = {
  trigger: CreatedTrigger;
  /** Whether the user tried to close the dialog without the button. */
  isWarned: boolean;
  onDone: () => void;
};

export function CreatedWebhook({ trigger, isWarned, onDone }: Props) {
  const { url = '', secret = '', preset = 'standard' } = trigger;
  return (
    <SecretToSave
      what="secret"
      note={t`The sender signs its messages with it.`}
      isWarned={isWarned}
      onDone={onDone}
    >
      <CopyField label={t`URL`} value={url} />
      <CopyField label={t`Secret`} value={secret} />
      <SendingExample url={url} preset={preset} />
    </SecretToSave>
  );
}
