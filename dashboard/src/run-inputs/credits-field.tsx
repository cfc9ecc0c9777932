/** How many credits a run may spend. Asked only where credits are counted against a limit. */
import { t } from '@lingui/core/macro';
import { TextInput } from '@mantine/core';
import { creditsFault } from './credits.ts';

type Props = {
  value: string;
  onChange: (text: string) => void;
  placeholder?: string;
  /** Why it cannot stay so, if that is not in the text itself. */
  fault?: string | undefined;
};

export const CreditsField = ({ value, onChange, placeholder, fault }: Props) => (
  <TextInput
    label={t`Credits at most`}
    description={t`It never spends more: steps that it can no longer pay for fail, and what is done is kept.`}
    placeholder={placeholder ?? ''}
    inputMode="decimal"
    data-autofocus
    autoComplete="off"
    maw={440}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    error={creditsFault(value) ?? fault}
  />
);
