/** A name that others refer to: it changes when the field is left, or by Enter, with its uses. */
import { isKey } from '@cogworks/graph/checks/names';
import { t } from '@lingui/core/macro';
import { TextInput } from '@mantine/core';
import { useState } from 'react';

type Props = {
  label: string;
  name: string;
  taken: readonly string[];
  fault: string | undefined;
  isReadOnly: boolean;
  onRename: (name: string) => void;
};

export function NameField({ label, name, taken, fault, isReadOnly, onRename }: Props) {
  const [wish, setWish] = useState<string>();
  const problem = wish === undefined || wish === name ? undefined : problemOf(wish, taken);
  const commit = () => {
    if (wish !== undefined && wish !== name && problem === undefined) onRename(wish);
    setWish(undefined);
  };
  return (
    <TextInput
      label={label}
      value={wish ?? name}
      error={problem ?? fault}
      readOnly={isReadOnly}
      spellCheck={false}
      onChange={(event) => setWish(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
}

function problemOf(wish: string, taken: readonly string[]): string | undefined {
  if (!isKey(wish)) return t`A name is a letter, then at most 63 letters, digits, _ or -.`;
  return taken.includes(wish) ? t`This name is taken.` : undefined;
}
