/** The parts of a definition as they are read: ports, params and limits. */
import type { InputPort, NodeDefinition, OutputPort } from '@cogworks/sdk/contract.gen';
import { Text } from '@mantine/core';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatDuration, formatExactly, formatSize, plural } from '../../ui/format.ts';
import classes from './catalogue.module.css';
import { mediaWord, typeOfOutput } from './media-words.ts';
import { defaultWords, limitWords, type ParamRow, rowsOf, typeWords } from './params-model.ts';

const amounts = { one: 'one file', many: 'any number of files', optional: 'one file or none' };

const Nothing = ({ children }: { children: string }) => (
  <Text size="sm" c="var(--faint)">
    {children}
  </Text>
);

export function InputPorts({ ports }: { ports: readonly InputPort[] }) {
  if (ports.length === 0) return <Nothing>It takes no files.</Nothing>;
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
  if (ports.length === 0) return <Nothing>It makes no files.</Nothing>;
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
                What it writes as <code>{port.glob}</code>
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
      <CodeBlock label="Params, as a JSON Schema">{JSON.stringify(schema, null, 2)}</CodeBlock>
    );
  }
  if (rows.length === 0) return <Nothing>It has no settings.</Nothing>;
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
    usual && `usually ${usual}`,
    row.isRequired && usual === '' ? 'must be given' : '',
  ]
    .filter(Boolean)
    .join(', ');
}

const megabyte = 1_000_000;

export function Limits({ definition }: { definition: NodeDefinition }) {
  const { name, version, image, digest, resources, timeout_seconds, retry, network, cache } =
    definition;
  const { cpu, memory_mb, disk_mb, gpu } = resources;
  return (
    <Facts
      facts={[
        ['Name', <code key="name">{`${name} ${version}`}</code>],
        ['Image', <code key="image">{image}</code>],
        ['Digest', digest ? <code key="digest">{digest}</code> : 'Not fixed: the tag decides'],
        [
          'Gets',
          [
            `${cpu} cpu`,
            `${formatSize(memory_mb * megabyte)} memory`,
            `${formatSize(disk_mb * megabyte)} disk`,
            ...(gpu > 0 ? [plural(gpu, 'gpu')] : []),
          ].join(', '),
        ],
        ['Stopped after', formatDuration(timeout_seconds * 1000)],
        [
          'Tried',
          retry.max_attempts === 1
            ? 'Once'
            : `Up to ${plural(retry.max_attempts, 'time')}${retry.on.length > 0 ? `, after ${retry.on.join(', ')}` : ''}`,
        ],
        ['Network', network === 'none' ? 'None' : 'May reach the internet'],
        ['Results', cache.enabled ? 'Taken over when nothing changed' : 'Made anew each time'],
        ['Registered', formatExactly(definition.created_at)],
      ]}
    />
  );
}
