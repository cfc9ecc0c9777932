/** What the installation's own registry is for, and how to push an image to it. */
import type { Me, Secret } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Code, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { TerminalText } from '../../ui/terminal-text.tsx';
import classes from './secrets.module.css';

/** What definitions call this registry, whatever its address is. */
const inDefinitions = 'cogworks.internal';

type Props = { secret: Secret; me: Me };

export function OwnRegistry({ secret: { server = '', name }, me }: Props) {
  const namespace = `t${me.tenant_id}`;
  const place = `${server}/${namespace}`;
  const image = `"image": "${inDefinitions}/${namespace}/my-tool:1"`;
  const plain = isLoopback(server) ? ' --tls-verify=false' : '';
  return (
    <section className={classes.registry} aria-labelledby="own-registry">
      <Title order={2} id="own-registry">
        <Trans>A registry of your own</Trans>
      </Title>
      <Stack gap="sm" mt={6}>
        <Text size="sm" c="var(--faint)">
          <Trans>
            Push images here, and name them in node definitions. Workers pull them without further
            credentials: those of <Code>{name}</Code> are made for each pull and end by themselves,
            so there is nothing to store or rotate.
          </Trans>
        </Text>
        <TerminalText label={t`Push an image`}>
          {[
            `podman login${plain} -u me ${server}`,
            `podman push${plain} my-tool ${place}/my-tool:1`,
          ].join('\n')}
        </TerminalText>
        <Text size="sm" c="var(--faint)" component="p" m={0} className="figures">
          <Trans>
            The password is one of your <Link to="/settings/api-keys">API keys</Link>. Everything
            below <Code>{place}/</Code> is your organization’s alone. In a definition:{' '}
            <Code>{image}</Code>, which stays right when the address of this server changes.
          </Trans>
        </Text>
      </Stack>
    </section>
  );
}

/** There clients speak plain HTTP. */
const isLoopback = (server: string) => /^(localhost|127\.[\d.]+|\[::1\])(:|$)/.test(server);
