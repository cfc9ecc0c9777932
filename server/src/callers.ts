/** The caller of a request, as every slice sees it. */

/** The user who makes a request. Every query starts from `tenant_id`. */
export type Caller = Readonly<{
  user_id: number;
  tenant_id: number;
  role: 'admin' | 'member';
  is_platform_admin: boolean;
  /** The API key, if the request used one. */
  key_id?: number;
  /** Set if that key may only read. */
  key_access?: 'read';
  /** The request, as the log and its answer have it. */
  request_id?: string;
}>;

/** Who does something, for the audit trail; without a `user_id` the system itself. */
export type Actor = Pick<Caller, 'tenant_id' | 'key_id' | 'request_id'> & { user_id?: number };

export const actorOf = ({ tenant_id, user_id, key_id, request_id }: Caller): Actor => ({
  ...{ tenant_id, user_id },
  ...(key_id !== undefined && { key_id }),
  ...(request_id !== undefined && { request_id }),
});

/**
 * The worker that makes a request, and the epoch of its process; none for releases without epochs.
 */
export type WorkerCaller = Readonly<{ id: number; epoch: number | undefined }>;

/** Credentials as received; only one is checked, preferably the token. */
export type Credentials = { bearer?: string; apiKey?: string };
