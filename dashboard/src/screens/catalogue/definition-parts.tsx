/** The parts of a definition as they are read: ports, params and limits. */
import type { InputPort, NodeDefinition, OutputPort } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatDuration, formatExactly, formatSize } from '../../ui/format.ts';
import classes from './catalogue.module.css';
import { mediaWord, typeOfOutput } from './media-words.ts';
import { defaultWords, limitWords, type ParamRow, rowsOf, typeWords } from './params-model.ts';

const amounts = { one: t`one file`, many: t`any number of files`, optional: t`one file or none` };

const Nothing = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="var(--faint)">
    {children}
  </Text>
);

export function InputPorts({ ports }: { ports: readonly InputPort[] }) {
  if (ports.length === 0)
    return (
      <Nothing>
        <Trans>It takes no files.</Trans>
      </Nothing>
    );
  return (
    <ul className={classes.list}>
      {ports.map(({ name, title, cardinality, media_types = [] }) => (
        <li key={name} className={classes.port}>
          <code>{name}</code>
          <div>
            {amounts[cardinality]}
            {media_types.length > 0 && `: ${media_types.map(mediaWord).join(', ')}`}
            {title && title.toLowerCase() !== name.toLowerCase() && <p>{title}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}

export function OutputPorts({ ports }: { ports: readonly OutputPort[] }) {
  if (ports.length === 0)
    return (
      <Nothing>
        <Trans>It makes no files.</Trans>
      </Nothing>
    );
  return (
    <ul className={classes.list}>
      {ports.map((port) => {
        const type = typeOfOutput(port);
        return (
          <li key={port.name} className={classes.port}>
            <code>{port.name}</code>
            <div>
              {amounts[port.cardinality]}
              {type !== undefined && `: ${mediaWord(type)}`}
              <p>
                <Trans>
                  What it writes as <code>{port.glob}</code>
                </Trans>
              </p>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

export function Params({ schema }: { schema: NodeDefinition['params'] }) {
  const rows = rowsOf(schema);
  if (!rows) {
    return (
      <CodeBlock label={t`Params, as a JSON Schema`}>{JSON.stringify(schema, null, 2)}</CodeBlock>
    );
  }
  if (rows.length === 0)
    return (
      <Nothing>
        <Trans>It has no settings.</Trans>
      </Nothing>
    );
  return (
    <ul className={classes.list}>
      {rows.map((row) => (
        <li key={row.name} className={classes.port}>
          <code>{row.name}</code>
          <div>
            {paramWords(row)}
            {row.description && <p>{row.description}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}

function paramWords(row: ParamRow): string {
  const usual = defaultWords(row);
  return [
    typeWords[row.type],
    limitWords(row),
    usual && t`usually ${usual}`,
    row.isRequired && usual === '' ? t`must be given` : '',
  ]
    .filter(Boolean)
    .join(', ');
}

const megabyte = 1_000_000;

export function Limits({ definition }: { definition: NodeDefinition }) {
  const { name, version, image, digest, resources, timeout_seconds, retry, network, cache } =
    definition;
  const { cpu, memory_mb, disk_mb, gpu } = resources;
  const memory = formatSize(memory_mb * megabyte);
  const disk = formatSize(disk_mb * megabyte);
  return (
    <Facts
      facts={[
        [t`Name`, <code key="name">{`${name} ${version}`}</code>],
        [t`Image`, <code key="image">{image}</code>],
        [t`Digest`, digest ? <code key="digest">{digest}</code> : t`Not fixed: the tag decides`],
        [
          t`Gets`,
          [
            t`${cpu} cpu`,
            t`${memory} memory`,
            t`${disk} disk`,
            ...(gpu > 0 ? [plural(gpu, { one: '# gpu', other: '# gpus' })] : []),
          ].join(', '),
        ],
        [t`Stopped after`, formatDuration(timeout_seconds * 1000)],
        [t`Tried`, triesWords(retry)],
        [t`Network`, network === 'none' ? t`None` : t`May reach the internet`],
        [t`Results`, cache.enabled ? t`Taken over when nothing changed` : t`Made anew each time`],
        [t`Registered`, formatExactly(definition.created_at)],
      ]}
    />
  );
}

function triesWords({ max_attempts, on }: NodeDefinition['retry']): string {
  const kinds = on.join(', ');
  if (max_attempts === 1) return t`Once`;
  return kinds === ''
    ? plural(max_attempts, { one: 'Up to # time', other: 'Up to # times' })
    : plural(max_attempts, {
        one: `Up to # time, after ${kinds}`,
        other: `Up to # times, after ${kinds}`,
      });
}
