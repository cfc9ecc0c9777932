/** How a sender posts and signs a message: as a script, or where to set it up. */
import { t } from '@lingui/core/macro';
import { Button, CopyButton, Group, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { CodeBlock } from '../ui/code-block.tsx';
import { curlExample, nodeExample } from './examples.ts';
import type { Preset } from './types.tsx';

const places: Record<Preset, string | undefined> = {
  standard: undefined,
  gitlab: undefined,
  github: t`At GitHub: Settings › Webhooks › Add webhook. Give the URL and the secret, and application/json as content type.`,
  stripe: t`At Stripe: Developers › Webhooks › Add endpoint. Stripe shows a secret of its own then: rotate the secret of this trigger to it.`,
  slack: t`At Slack: Event Subscriptions › Request URL. The secret is the signing secret of your app: rotate the secret of this trigger to it.`,
};

type Props = { url: string; preset: Preset };

export function SendingExample({ url, preset }: Props) {
  const [language, setLanguage] = useState('curl');
  const place = places[preset];
  if (place) return <Text size="sm">{place}</Text>;
  const text = language === 'curl' ? curlExample(url) : nodeExample(url);
  return (
    <div>
      <Group justify="space-between" mb={8}>
        <SegmentedControl
          size="xs"
          aria-label={t`Example`}
          data={[
            { value: 'curl', label: 'curl' },
            { value: 'node', label: 'Node' },
          ]}
          value={language}
          onChange={setLanguage}
        />
        <CopyButton value={text} timeout={2000}>
          {({ copied, copy }) => (
            <Button size="compact-sm" variant="subtle" onClick={copy}>
              {copied ? t`Copied` : t`Copy the example`}
            </Button>
          )}
        </CopyButton>
      </Group>
      <CodeBlock label={t`How to send a message`}>{text}</CodeBlock>
    </div>
  );
}
