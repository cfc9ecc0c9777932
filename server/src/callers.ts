/** The caller of a request, as every slice sees it. */

/** The user who makes a request. Every query starts from `tenant_id`. */
export type Caller = Readonly<{
  user_id: number;
  tenant_id: number;
  role: 'admin' | 'member';
  is_platform_admin: boolean;
  /** The API key, if the request used one. */
  key_id?: number;
}>;

/**
 * The worker that makes a request, and the epoch of its process; none for releases without epochs.
 */
export type WorkerCaller = Readonly<{ id: number; epoch: number | undefined }>;

/** Credentials as received; only one is checked, preferably the token. */
export type Credentials = { bearer?: string; apiKey?: string };
