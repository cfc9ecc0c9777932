/** The fields of a secret's value: a text, or credentials of a registry. */
import type { FieldFault } from '@cogworks/sdk/errors';
import { t } from '@lingui/core/macro';
import { Button, PasswordInput, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { SecretForm } from './secret-form.ts';
import classes from './secrets.module.css';

type Props = {
  form: SecretForm;
  onChange: (changes: Partial<SecretForm>) => void;
  faults: readonly FieldFault[];
};

/** What is wrong with a value, in the service's words. */
const faultOf = (faults: readonly FieldFault[]) =>
  faults
    .filter(({ loc }) => loc[1] === 'value')
    .map(({ msg }) => msg)
    .join(' ') || undefined;

const untouched = { autoComplete: 'off', spellCheck: false } as const;

export const ValueFields = (props: Props) =>
  props.form.kind === 'generic' ? <TextValue {...props} /> : <Credentials {...props} />;

function TextValue({ form, onChange, faults }: Props) {
  const [isShown, setShown] = useState(false);
  return (
    <div className={classes.value}>
      <Textarea
        label={t`Value`}
        description={t`A password, a token, or a whole key file. It cannot be read again.`}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={65_536}
        value={form.value}
        onChange={(event) => onChange({ value: event.currentTarget.value })}
        error={faultOf(faults)}
        classNames={{ input: (isShown ? classes.shown : classes.hidden) ?? '' }}
        {...untouched}
      />
      <Button
        className={classes.show}
        size="compact-xs"
        variant="subtle"
        onClick={() => setShown(!isShown)}
      >
        {isShown ? t`Hide the value` : t`Show the value`}
      </Button>
    </div>
  );
}

const Credentials = ({ form, onChange, faults }: Props) => (
  <Stack gap="md">
    <TextInput
      label={t`Server`}
      description={t`The host of the images, with its port if there is one.`}
      placeholder={t`registry.example:5000`}
      value={form.server}
      onChange={(event) => onChange({ server: event.currentTarget.value })}
      maxLength={253}
      error={faultOf(faults)}
      {...untouched}
    />
    <TextInput
      label={t`User name`}
      value={form.username}
      onChange={(event) => onChange({ username: event.currentTarget.value })}
      maxLength={255}
      {...untouched}
    />
    <PasswordInput
      label={t`Password or token`}
      description={t`One that may only read is enough. It cannot be read again.`}
      value={form.password}
      onChange={(event) => onChange({ password: event.currentTarget.value })}
      maxLength={8192}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ 'aria-label': t`Show the password`, tabIndex: 0 }}
    />
  </Stack>
);
