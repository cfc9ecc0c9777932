/** Lines for a terminal, with a button that copies them. */
import { t } from '@lingui/core/macro';
import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { CodeBlock } from './code-block.tsx';
import classes from './terminal-text.module.css';

export const TerminalText = ({ label, children }: { label: string; children: string }) => (
  <div className={classes.text}>
    <CodeBlock label={label} isWrapped>
      {children}
    </CodeBlock>
    <CopyButton value={children} timeout={2000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t`Copied` : t`Copy`}>
          <ActionIcon
            className={classes.copy}
            variant="default"
            onClick={copy}
            aria-label={copied ? t`Copied` : t`Copy: ${label}`}
          >
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  </div>
);
