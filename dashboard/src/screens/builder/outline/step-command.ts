/** What can be done with a step in the list. */
import type { EdgeSource, PortOfNode } from '@cogworks/graph/types';

export type StepCommand =
  | { type: 'open' | 'settings' | 'add' | 'duplicate' | 'delete' | 'up' | 'down' | 'connect' }
  | { type: 'connect-from'; from: EdgeSource }
  | { type: 'connect-to'; to: PortOfNode };
