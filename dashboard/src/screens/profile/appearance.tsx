/** Light, dark, or as the system. */
import { SegmentedControl, useMantineColorScheme } from '@mantine/core';

const schemes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'As the system' },
] as const;

export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      aria-label="Appearance"
      withItemsBorders={false}
      value={colorScheme}
      onChange={(value) => setColorScheme(value as (typeof schemes)[number]['value'])}
      data={schemes.map((scheme) => ({ ...scheme }))}
    />
  );
}
