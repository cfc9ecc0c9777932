/** Light, dark, or as the system. */
import { t } from '@lingui/core/macro';
import { SegmentedControl, useMantineColorScheme } from '@mantine/core';

const schemes = [
  { value: 'light', label: t`Light` },
  { value: 'dark', label: t`Dark` },
  { value: 'auto', label: t`As the system` },
] as const;

export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      aria-label={t`Appearance`}
      withItemsBorders={false}
      value={colorScheme}
      onChange={(value) => setColorScheme(value as (typeof schemes)[number]['value'])}
      data={schemes.map((scheme) => ({ ...scheme }))}
    />
  );
}
