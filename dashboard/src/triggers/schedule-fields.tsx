/** When a schedule fires: plain choices or an expression, its time zone, and the times that follow. */
import { ApiError } from '@cogworks/sdk/errors';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Chip, Group, Input, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api.ts';
import { LoadingRows, Problem } from '../ui/await.tsx';
import { TimeZoneField } from '../ui/time-zone-field.tsx';
import { type CronChoice, choiceOf, cronOf, usualChoice, weekdays } from './cron-choice.ts';
import { type FieldsProps, faultOf } from './fields.ts';
import { NextTimes } from './next-times.tsx';
import type { TriggerForm } from './trigger-form.ts';
import classes from './triggers.module.css';

const frequencies = [
  { value: 'hour', label: t`Every hour` },
  { value: 'day', label: t`Every day` },
  { value: 'week', label: t`Every week` },
  { value: 'month', label: t`Every month` },
  { value: 'cron', label: t`A cron expression` },
];

const monthDays = [
  ...Array.from({ length: 31 }, (_, index) => {
    const number = index + 1;
    return { value: String(number), label: t`Day ${number}` };
  }),
  { value: 'L', label: t`The last day` },
];

export function ScheduleFields({ form, onChange, faults }: FieldsProps) {
  const { cron, timezone } = form;
  const [isExpert, setExpert] = useState(choiceOf(cron) === undefined);
  const choice = choiceOf(cron) ?? usualChoice;
  const choose = (changes: Partial<CronChoice>) => {
    onChange({ cron: cronOf({ ...choice, ...changes }) });
  };
  return (
    <Stack gap="md">
      <Group gap="sm" align="flex-end">
        <Select
          label={t({ message: 'Runs', context: 'verb' })}
          w={190}
          data={frequencies}
          value={isExpert ? 'cron' : choice.every}
          onChange={(value) => {
            setExpert(value === 'cron');
            if (value !== 'cron') choose({ every: value as CronChoice['every'] });
          }}
          allowDeselect={false}
        />
        {!isExpert && <PlainTime choice={choice} onChange={choose} />}
      </Group>
      {!isExpert && choice.every === 'week' && (
        <Weekdays chosen={choice.weekdays} onChange={(days) => choose({ weekdays: days })} />
      )}
      {isExpert && (
        <TextInput
          label={t`Cron expression`}
          description={t`Minute, hour, day of month, month, day of week.`}
          value={cron}
          onChange={(event) => onChange({ cron: event.currentTarget.value })}
          error={faultOf(faults, 'cron')}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
      )}
      <TimeZoneField value={timezone} onChange={(zone) => onChange({ timezone: zone })} />
      <Preview form={form} />
    </Stack>
  );
}

type PlainProps = { choice: CronChoice; onChange: (changes: Partial<CronChoice>) => void };

function PlainTime({ choice, onChange }: PlainProps) {
  const { every, minute, time, day } = choice;
  if (every === 'hour') {
    return (
      <Select
        label={t`Minute`}
        w={110}
        searchable
        data={Array.from({ length: 60 }, (_, one) => ({
          value: String(one),
          label: `:${String(one).padStart(2, '0')}`,
        }))}
        value={String(minute)}
        onChange={(value) => onChange({ minute: Number(value) })}
        allowDeselect={false}
      />
    );
  }
  return (
    <>
      {every === 'month' && (
        <Select
          label={t({ message: 'On', context: 'days' })}
          w={150}
          data={monthDays}
          value={day}
          onChange={(value) => onChange({ day: value ?? '1' })}
          allowDeselect={false}
        />
      )}
      <TextInput
        label={t({ message: 'At', context: 'time' })}
        type="time"
        w={120}
        required
        withAsterisk={false}
        value={time}
        // A field that is half filled in has no value.
        onChange={({ currentTarget }) =>
          currentTarget.value && onChange({ time: currentTarget.value })
        }
      />
    </>
  );
}

type WeekdaysProps = { chosen: readonly string[]; onChange: (days: string[]) => void };

const Weekdays = ({ chosen, onChange }: WeekdaysProps) => (
  <Input.Wrapper label={t({ message: 'On', context: 'days' })} labelElement="div">
    <Chip.Group multiple value={[...chosen]} onChange={(days) => days.length > 0 && onChange(days)}>
      <Group gap={6} mt={6}>
        {weekdays.map(({ value, label }) => (
          <Chip key={value} value={value} size="xs" variant="light">
            {label}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  </Input.Wrapper>
);

/** As the service counts them, so that it is known before the trigger is there. */
function Preview({ form }: { form: TriggerForm }) {
  const { cron, timezone, dst } = form;
  const [asked] = useDebouncedValue(JSON.stringify({ cron, timezone, ...dst }), 200);
  const preview = useQuery({
    queryKey: ['preview of times', asked],
    queryFn: () => api.previewSchedule({ query: { ...JSON.parse(asked), count: 5 } }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const refusal = preview.error instanceof ApiError ? preview.error.fields : [];
  return (
    <section className={classes.box} aria-label={t`Preview`} aria-live="polite">
      <Text size="xs" c="var(--faint)" mb={4}>
        <Trans>Next times, as clocks show them in {timezone}</Trans>
      </Text>
      {preview.error && refusal.length === 0 && <Problem error={preview.error} />}
      {refusal.length > 0 ? (
        <Text size="sm" c="var(--mantine-color-error)">
          {refusal.map(({ msg }) => msg).join(' ')}
        </Text>
      ) : preview.data ? (
        <NextTimes ticks={preview.data} timezone={timezone} />
      ) : (
        preview.isPending && <LoadingRows rows={2} />
      )}
    </section>
  );
}

const overlaps = [
  { value: 'skip', label: t`Leave this time out` },
  { value: 'queue_one', label: t`Start when that run has ended` },
  { value: 'cancel_running', label: t`Cancel that run and start` },
  { value: 'allow', label: t`Start beside it` },
];

const catchUps = [
  { value: 'latest', label: t`Start once, for the latest` },
  { value: 'none', label: t`Leave them out` },
  { value: 'all', label: t`Start for each, up to 100 of seven days` },
];

const gaps = [
  { value: 'shift', label: t`Move it: 02:30 becomes 03:30` },
  { value: 'skip', label: t`Leave it out` },
];

const repeats = [
  { value: 'first', label: t`Fire at the first` },
  { value: 'second', label: t`Fire at the second` },
  { value: 'both', label: t`Fire at both` },
];

/** What few schedules need. */
export function ScheduleDetails({ form, onChange }: Omit<FieldsProps, 'faults'>) {
  const { overlap, catch_up, dst } = form;
  const common = { allowDeselect: false };
  return (
    <Stack gap="md">
      <Select
        {...common}
        label={t`If its last run has not ended`}
        data={overlaps}
        value={overlap}
        onChange={(value) => onChange({ overlap: value as TriggerForm['overlap'] })}
      />
      <Select
        {...common}
        label={t`Times missed while no server ran`}
        data={catchUps}
        value={catch_up}
        onChange={(value) => onChange({ catch_up: value as TriggerForm['catch_up'] })}
      />
      <Select
        {...common}
        label={t`A time that clocks leave out in spring`}
        data={gaps}
        value={dst.gap}
        onChange={(value) => onChange({ dst: { ...dst, gap: value as typeof dst.gap } })}
      />
      <Select
        {...common}
        label={t`A time that comes twice in autumn`}
        data={repeats}
        value={dst.overlap}
        onChange={(value) => onChange({ dst: { ...dst, overlap: value as typeof dst.overlap } })}
      />
    </Stack>
  );
}
