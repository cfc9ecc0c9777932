/** Why a list of steps to add is empty. */
import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';

type Props = { isCatalogueEmpty: boolean };

export const NothingFound = ({ isCatalogueEmpty }: Props) => (
  <Text size="sm" c="var(--faint)" p="md">
    {isCatalogueEmpty
      ? t`The catalogue has no definitions yet. Add one on the page Steps.`
      : t`No step is like this. Search for a word of its title, or “takes pdf”, “makes png”.`}
  </Text>
);
