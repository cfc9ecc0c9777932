/** What can be done with a step in the list. */
import type { EdgeSource, PortOfNode } from '@cogworks/graph/types';

export type StepAction =
  | { type: 'open' | 'settings' | 'add' | 'duplicate' | 'delete' | 'up' | 'down' | 'connect' }
  /** Test up to it, and look at what the last test showed of it. */
  | { type: 'test' | 'results' }
  /** Take it into what is selected or out of that, and select all or nothing. */
  | { type: 'select' | 'select-all' | 'select-none' }
  | { type: 'copy' | 'frames' | 'keys' }
  | { type: 'connect-from'; from: EdgeSource }
  | { type: 'connect-to'; to: PortOfNode };
