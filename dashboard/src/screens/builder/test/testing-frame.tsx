/** Keeps the tests of a draft as long as it is open, whichever view is shown. */
import type { WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { type ReactNode, useEffect, useState } from 'react';
import { useSaver } from '../draft/draft-context.ts';
import type { DraftSaver } from '../draft/saver.ts';
import { createTester } from './tester.ts';
import { TesterContext } from './testing.ts';

type Props = { version: WorkflowVersion; user: number; children: ReactNode };

export function TestingFrame({ version, user, children }: Props) {
  const saver = useSaver();
  if (!saver) return children;
  return (
    <Testing key={version.id} version={version} user={user} saver={saver}>
      {children}
    </Testing>
  );
}

function Testing({ version, user, saver, children }: Props & { saver: DraftSaver }) {
  const [tester] = useState(() =>
    createTester({ userId: user, version, save: () => saver.flush() }),
  );
  useEffect(() => {
    tester.resume();
    return () => tester.stop();
  }, [tester]);
  return <TesterContext value={tester}>{children}</TesterContext>;
}
