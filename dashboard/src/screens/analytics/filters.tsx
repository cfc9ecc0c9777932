/** Of when, in which periods, and whose: what the URL says of a report. */
import { t } from '@lingui/core/macro';
import { Group, SegmentedControl, Select, TextInput } from '@mantine/core';
import { TimeZoneField } from '../../ui/time-zone-field.tsx';
import { ownZone } from '../../ui/zones.ts';
import classes from './analytics.module.css';
import { daysOf, isPossible, usualBucket } from './range.ts';
import { TenantChoice } from './tenant-choice.tsx';
import { type Bucket, buckets, type Preset, type View } from './view.ts';

const ranges: { value: Preset | 'own'; label: string }[] = [
  { value: '24h', label: t`24 hours` },
  { value: '7d', label: t`7 days` },
  { value: '30d', label: t`30 days` },
  { value: '90d', label: t`90 days` },
  { value: '12mo', label: t`12 months` },
  { value: 'own', label: t`Other` },
];

const bucketLabels: Record<Bucket, string> = {
  hour: t`By hour`,
  day: t`By day`,
  week: t`By week`,
  month: t`By month`,
};

type Props = {
  view: View;
  timezone: string;
  onChange: (changes: View) => void;
  /** Whether there are organizations to choose from. */
  hasTenants: boolean;
};

export function Filters({ view, timezone, onChange, hasTenants }: Props) {
  const days = daysOf(view, timezone, new Date());
  const isOwn = view.from !== undefined || view.to !== undefined;
  const choose = (range: Preset | 'own') => {
    // Periods that suit one range are too many or too few of another.
    const bucket = undefined;
    if (range === 'own') onChange({ range: undefined, bucket, from: days.first, to: days.last });
    else {
      const given = range === '30d' ? undefined : range;
      onChange({ range: given, bucket, from: undefined, to: undefined });
    }
  };
  return (
    <Group gap="sm" mb="lg" role="group" aria-label={t`Filters`}>
      <div className={classes.ranges}>
        <SegmentedControl
          size="xs"
          withItemsBorders={false}
          aria-label={t`Range`}
          data={ranges}
          value={isOwn ? 'own' : (view.range ?? '30d')}
          onChange={(value) => choose(value as Preset | 'own')}
        />
      </div>
      {isOwn && <OwnRange first={days.first} last={days.last} onChange={onChange} />}
      <Select
        size="xs"
        w={120}
        aria-label={t`Periods`}
        data={buckets.map((bucket) => ({
          value: bucket,
          label: bucketLabels[bucket],
          disabled: !isPossible(bucket, days),
        }))}
        value={view.bucket ?? usualBucket(days)}
        onChange={(bucket) => onChange({ bucket: bucket as Bucket })}
        allowDeselect={false}
      />
      <TimeZoneField
        isFilter
        size="xs"
        w={190}
        value={timezone}
        onChange={(zone) => onChange({ tz: zone === ownZone() ? undefined : zone })}
      />
      {hasTenants && (
        <TenantChoice value={view.tenant} onChange={(tenant) => onChange({ tenant })} />
      )}
    </Group>
  );
}

type OwnProps = { first: string; last: string; onChange: (changes: View) => void };

function OwnRange({ first, last, onChange }: OwnProps) {
  return (
    <>
      <TextInput
        type="date"
        size="xs"
        aria-label={t`First day`}
        value={first}
        max={last}
        // A field that is half filled in has no value.
        onChange={({ currentTarget }) =>
          currentTarget.value && onChange({ from: currentTarget.value, bucket: undefined })
        }
      />
      <TextInput
        type="date"
        size="xs"
        aria-label={t`Last day`}
        value={last}
        min={first}
        onChange={({ currentTarget }) =>
          currentTarget.value && onChange({ to: currentTarget.value, bucket: undefined })
        }
      />
    </>
  );
}
