/** The choice of a time zone by its name. */
import { t } from '@lingui/core/macro';
import { Select, type SelectProps } from '@mantine/core';
import { useMemo } from 'react';
import { ownZone } from './zones.ts';

type Props = Pick<SelectProps, 'size' | 'w'> & {
  value: string;
  onChange: (zone: string) => void;
  /** Among filters, which have no labels above them. */
  isFilter?: boolean;
};

export function TimeZoneField({ value, onChange, isFilter = false, ...others }: Props) {
  const zones = useMemo(
    () => [...new Set(['UTC', ownZone(), value, ...Intl.supportedValuesOf('timeZone')])],
    [value],
  );
  return (
    <Select
      {...others}
      {...(isFilter ? { 'aria-label': t`Time zone` } : { label: t`Time zone` })}
      searchable
      limit={60}
      data={zones}
      value={value}
      onChange={(zone) => onChange(zone ?? 'UTC')}
      nothingFoundMessage={t`No such time zone`}
      allowDeselect={false}
    />
  );
}
