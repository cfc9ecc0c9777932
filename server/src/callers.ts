/** Who makes a request, as every slice knows them. */

/** Who makes the request. Every query starts from `tenant_id`. */
export type Caller = Readonly<{
  user_id: number;
  tenant_id: number;
  role: 'admin' | 'member';
  is_platform_admin: boolean;
  /** The API key behind the request, if one is. */
  key_id?: number;
}>;

/** The worker that makes a request, and which start of its program; none of a release without epochs. */
export type WorkerCaller = Readonly<{ id: number; epoch: number | undefined }>;

/** Credentials as they came in; exactly one of the two is looked at, the token first. */
export type Credentials = { bearer?: string; apiKey?: string };
