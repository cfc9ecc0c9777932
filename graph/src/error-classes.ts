/** Error classes of attempts: who is at fault, and whether they are retried. */
type ErrorFacts = {
  /** Who is at fault. Faults of the platform are not charged. */
  fault: 'program' | 'platform';
  /**
   * `user`: as often as the node's `retry` allows. `system`: on the platform's own budget.
   * `always`: at once, and at no cost to any budget. `never`: a retry would not help.
   */
  retry: 'user' | 'system' | 'always' | 'never';
  /** Completes "exit code 137 (…)"; absent if there is nothing to add. */
  words?: string;
};

const reported = {
  exit_nonzero: { fault: 'program', retry: 'user' },
  oom: { fault: 'program', retry: 'user', words: 'out of memory' },
  timeout: { fault: 'program', retry: 'user', words: 'timed out' },
  output_missing: { fault: 'program', retry: 'never', words: 'a declared output is missing' },
  output_invalid: { fault: 'program', retry: 'never', words: 'an output is not as declared' },
  output_upload: { fault: 'platform', retry: 'system', words: 'an output could not be stored' },
  quota_exceeded: {
    fault: 'program',
    retry: 'never',
    words: "the organization's storage is full",
  },
  input_fetch: { fault: 'platform', retry: 'system', words: 'an input could not be fetched' },
  image_pull: { fault: 'platform', retry: 'system', words: 'the image could not be pulled' },
  image_not_found: { fault: 'program', retry: 'never', words: 'the image does not exist' },
  registry_auth: {
    fault: 'program',
    retry: 'never',
    words: 'the registry refused the credentials',
  },
  bad_params: { fault: 'program', retry: 'never', words: 'its params are not valid' },
  // The node's own disk limit; a full disk of the worker is another class.
  disk_limit: { fault: 'program', retry: 'user', words: 'it wrote more than its disk holds' },
  disk_full: { fault: 'platform', retry: 'system', words: 'the disk of the worker was full' },
  // Stopped on purpose, for a restart or an update: this says nothing about the work.
  evicted: { fault: 'platform', retry: 'always', words: 'the worker gave the work back' },
  infrastructure: { fault: 'platform', retry: 'system', words: 'the worker could not run it' },
} as const satisfies Record<string, ErrorFacts>;

/** Classes a worker may report. */
export type ReportedErrorClass = keyof typeof reported;
export const reportedErrorClasses = Object.keys(reported) as ReportedErrorClass[];

/** All classes, including those that only the server assigns. */
export type ErrorClass = ReportedErrorClass | 'lost_worker' | 'poison' | 'insufficient_credits';

const errorClasses: ReadonlyMap<string, ErrorFacts> = new Map<ErrorClass, ErrorFacts>([
  ...(Object.entries(reported) as [ReportedErrorClass, ErrorFacts][]),
  ['lost_worker', { fault: 'platform', retry: 'system', words: 'the worker was lost' }],
  ['poison', { fault: 'platform', retry: 'never', words: 'several workers were lost with it' }],
  [
    'insufficient_credits',
    { fault: 'program', retry: 'never', words: 'there were no credits left for it' },
  ],
]);

/** A class of another release counts as the program's own failure. */
export const factsOfError = (errorClass: string): ErrorFacts =>
  errorClasses.get(errorClass) ?? reported.exit_nonzero;
