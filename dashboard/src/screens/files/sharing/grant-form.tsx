/** The fields of a grant: level, last day, and what differs from the level. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Collapse, NativeSelect, SimpleGrid, TextInput, UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { type GrantFields, type Level, levels, overrides } from './grants.ts';
import classes from './sharing.module.css';

type Props = { fields: GrantFields; onChange: (fields: GrantFields) => void };

export function GrantForm({ fields, onChange }: Props) {
  const hasMore = overrides.some(({ field }) => fields[field] !== undefined);
  const [isOpen, setOpen] = useState(hasMore);
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NativeSelect
          label={t`Level`}
          value={fields.level}
          data={levels.map(({ value, label, gives }) => ({ value, label: `${label}: ${gives}` }))}
          onChange={({ currentTarget }) =>
            onChange({ ...fields, level: currentTarget.value as Level })
          }
        />
        <TextInput
          type="date"
          label={t`Last day (optional)`}
          min={today()}
          value={fields.until}
          onChange={({ currentTarget }) => onChange({ ...fields, until: currentTarget.value })}
        />
      </SimpleGrid>
      <UnstyledButton
        className={classes.disclose}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <IconChevronRight size={15} aria-hidden /> <Trans>Differences from the level</Trans>
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          {overrides.map(({ field, label }) => (
            <NativeSelect
              key={field}
              label={label}
              value={String(fields[field] ?? '')}
              data={[
                { value: '', label: t`As the level says` },
                { value: 'true', label: t`Allowed` },
                { value: 'false', label: t`Not allowed` },
              ]}
              onChange={({ currentTarget: { value } }) =>
                onChange({ ...fields, [field]: value === '' ? undefined : value === 'true' })
              }
            />
          ))}
        </SimpleGrid>
      </Collapse>
    </>
  );
}

const today = () => new Date().toLocaleDateString('sv-SE');
