/** Changes in words, each with a sign for what happened. */
import type { Told } from '@cogworks/graph/edit/words';
import { t } from '@lingui/core/macro';
import { Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconArrowsMove, IconMinus, IconPencil, IconPlus } from '@tabler/icons-react';
import classes from './change-list.module.css';

const signs = {
  added: { icon: IconPlus, word: t`Added` },
  removed: { icon: IconMinus, word: t`Removed` },
  changed: { icon: IconPencil, word: t`Changed` },
  drawn: { icon: IconArrowsMove, word: t`Drawing` },
};

type Props = {
  label: string;
  told: readonly Told[];
  chosen?: number | undefined;
  onChoose?: (at: number) => void;
};

export function ChangeList({ label, told, chosen, onChoose }: Props) {
  return (
    <ol className={classes.changes} aria-label={label}>
      {told.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry is its place in the list
        <li key={at}>
          {onChoose ? (
            <UnstyledButton
              className={classes.change}
              data-mark={one.mark}
              aria-current={chosen === at}
              onClick={() => onChoose(at)}
            >
              <Entry told={one} />
            </UnstyledButton>
          ) : (
            <div className={classes.change} data-mark={one.mark}>
              <Entry told={one} />
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

function Entry({ told: { mark, words } }: { told: Told }) {
  const { icon: Icon, word } = signs[mark];
  return (
    <>
      <Icon size={16} aria-hidden />
      <VisuallyHidden>{word}: </VisuallyHidden>
      <Text component="span" size="sm" className={classes.words}>
        {words}
      </Text>
    </>
  );
}
