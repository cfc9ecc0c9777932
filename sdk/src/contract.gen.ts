/** Written by tools/contract.ts from the routes of the server; run `npm run contract`, never edit. */

export type AboveCog = {
  id: number;
  name: string;
  cog_type: "master_folder" | "asset_folder" | "file";
};

export type Acceptance = {
  /** What follows `#` in the link. */
  token: string;
  first_name?: string | undefined;
  last_name?: string | undefined;
  password?: string | undefined;
};

/** The caller's effective right. */
export type Access = {
  level: "viewer" | "editor" | "owner";
  can_upload: boolean;
  can_share: boolean;
  can_delete: boolean;
};

export type AccessToken = {
  access_token: string;
  token_type: "Bearer";
  /** Seconds. */
  expires_in: number;
  scope: string;
};

export type AddedCredits = {
  credits: number;
  /** For the audit trail of the tenant. */
  reason?: string | undefined;
};

/** Files and folders owned by the user; they stay. */
export type Affected = {
  /** At most 10,000 are counted. */
  count: number;
  /** At most 10. */
  first: {
    id: number;
    name: string;
  }[];
};

export type ApiKey = {
  id: number;
  description: string;
  /** The first characters of the key. */
  key_prefix: string;
  /** When it was made. */
  created_at: string;
  /** To the minute. */
  last_used_at?: string | undefined;
  /** When it stops by itself. */
  expires_at?: string | undefined;
  /** `read`: only what changes nothing, also with tokens that it is exchanged for; 403 `read_only_key` for all else. */
  access: "full" | "read";
};

export type ApiKeyRequest = {
  description: string;
  /** In the future; without it the key does not expire. */
  expires_at?: string | undefined;
  /** `read`: only what changes nothing, also with tokens that it is exchanged for; 403 `read_only_key` for all else. */
  access?: "full" | "read" | undefined;
};

export type ApiKeyTokenRequest = {
  api_key: string;
};

export type Attempt = {
  /** Which try it was, from 1. */
  number: number;
  status: "leased" | "running" | "success" | "failure" | "cancelled" | "lost";
  worker_id: number;
  /** A worker took it. It fetches image and inputs from then on. */
  leased_at: string;
  /** Its container started. */
  started_at?: string | undefined;
  finished_at?: string | undefined;
  exit_code?: number | undefined;
  error_class?: string | undefined;
  error_message?: string | undefined;
};

export type AttemptUploads = {
  object_id: number;
  /** Presigned PUT of exactly that file. */
  url: string;
}[];

export type AuditEvent = {
  id: number;
  /** The user; absent for what the system did of itself. */
  actor_id?: number | undefined;
  /** The API key that was used, if one was. */
  key_id?: number | undefined;
  /** The `X-Request-Id` of the answer, which the log has as well. */
  request_id?: string | undefined;
  /** For example `permission.granted`. */
  action: string;
  target_type: string;
  target_id?: string | undefined;
  /** What the target is called now, as far as it still exists and has a name. */
  target_name?: string | undefined;
  details: Record<string, unknown>;
  created_at: string;
};

export type AuditFault = {
  /** `event_added`: later, under an id that was sealed already. */
  fault: "event_changed" | "event_missing" | "event_added" | "block_changed" | "block_missing";
  /** Absent for an added event after the last block. */
  block?: number | undefined;
  event_id?: number | undefined;
};

export type AuditHead = {
  /** The number of the last block, 0 before there is one, and its seal. */
  head: string;
  sealed_at?: string | undefined;
};

export type AuditVerification = {
  is_intact: boolean;
  /** That were compared. */
  blocks: number;
  /** In these blocks. */
  events: number;
  /** Too new to be in a block. */
  unsealed_events: number;
  /** Sealed more than an hour after they happened, because no engine ran, or because they happened before events were sealed: a change in that time shows no other way. Without such a reason somebody changed events and had them sealed again. */
  late_events: number;
  /** The first hundred with such events. */
  late_blocks: LateAuditBlock[];
  /** Whether the head that was given is in the chain; `removed`: its block is too old to be kept. */
  kept_head?: "fits" | "differs" | "removed" | undefined;
  /** The first hundred. */
  faults: AuditFault[];
};

export type BatchUpload = {
  path: string;
  upload?: BegunUpload | undefined;
  /** The file of which it becomes a new version. */
  cog_id?: number | undefined;
  /** With `existing: changed`: the file `cog_id` has this content, and nothing is to be sent. */
  is_unchanged?: true | undefined;
  error?: ItemError | undefined;
};

export type BegunBatch = {
  /** In the order of the files, each with an upload, an error or `is_unchanged`. */
  uploads: BatchUpload[];
};

export type BegunUpload = {
  upload_id: number;
  storage_upload_id: string;
  chunk_size: number;
  expires_at: string;
  /** The URLs are good for an hour. */
  parts: PartUrl[];
};

export type CachePolicy = {
  enabled: boolean;
  version: string;
};

export type Capacity = {
  cpu: number;
  memory_mb: number;
  gpu: number;
  disk_mb: number;
};

export type ChosenNodeRun = {
  node_key: string;
  /** Of a node that runs per file: which; all without. */
  shard_index?: number | undefined;
};

export type Cog = {
  id: number;
  name: string;
  cog_type: "master_folder" | "asset_folder" | "file";
  /** Absent for the root. */
  parent_id?: number | undefined;
  /** Who made it, or took it over. What they may do is said by grants. */
  owner_id: number;
  size_bytes?: number | undefined;
  mime_type?: string | undefined;
  /** Hexadecimal. */
  checksum_sha256?: string | undefined;
  /** Counts the contents of a file, from 1. */
  version?: number | undefined;
  /** True for the folder with the results of a test, absent otherwise. It is removed 24 hours after its run has ended; until then nothing is put into it, and it is not renamed, moved or deleted. */
  test_results?: boolean | undefined;
  created_at: string;
  updated_at: string;
  access: Access;
};

export type CogCopy = {
  cog_id: number;
  cog?: Cog | undefined;
  error?: ItemError | undefined;
};

export type CogRestoration = {
  cog_id: number;
  cog?: RestoredCog | undefined;
  error?: ItemError | undefined;
};

export type ComingTick = {
  at: string;
  /** What clocks show there. */
  local_time: string;
};

export type Completion = {
  /** Fences the attempt. */
  lease_token: string;
  status: "success" | "failure" | "cancelled";
  exit_code?: number | undefined;
  error_class?: "exit_nonzero" | "oom" | "timeout" | "output_missing" | "output_invalid" | "output_upload" | "quota_exceeded" | "input_fetch" | "image_pull" | "image_not_found" | "registry_auth" | "bad_params" | "disk_limit" | "disk_full" | "evicted" | "infrastructure" | undefined;
  error_message?: string | undefined;
  outputs?: {
    port: string;
    name: string;
    /** What the program called it, in plain text, where that cannot be a name. */
    renamed_from?: string | undefined;
    object_id: number;
    size_bytes: number;
    checksum_sha256: string;
  }[] | undefined;
};

export type Confirmation = {
  upload_id: number;
  storage_upload_id: string;
  file_size: number;
  /** A list, or JSON of one, with `part_number` and `etag` of every part in any order. `PartNumber` and `ETag` are understood too. */
  parts_json: Record<string, unknown>[] | string;
  /** Another folder than announced. */
  parent_id?: number | undefined;
  /** Another name than announced. */
  name?: string | undefined;
};

export type ConfirmedUpload = {
  upload_id: number;
  cog?: Cog | undefined;
  verifying?: Verifying | undefined;
  error?: ItemError | undefined;
};

export type ConfirmedUploads = {
  /** In the order of the confirmations, each with a cog or why there is none. */
  results: ConfirmedUpload[];
};

export type CopiedCogs = {
  /** In the order of the ids, each with its copy or an error. */
  results: CogCopy[];
};

/** Absent if it is not known. */
export type CopiedFrom = {
  /** Of the file now. `hidden`: the caller may not see it, or may not know any more what it was; then nothing else is told of it. A file that was removed for ever is named to who started the run, and to admins. */
  state: "available" | "in_trash" | "removed" | "hidden";
  cog_id?: number | undefined;
  current_name?: string | undefined;
  version?: number | undefined;
};

export type CreatedNotice = {
  id: number;
  name?: string | undefined;
  /** What is called, unless it is sent by mail. For those who may not change the notice only its origin: the rest is often a password. */
  url?: string | undefined;
  /** It is sent by mail, to the address of who made it. */
  by_mail: boolean;
  events: ("run.success" | "run.partial_success" | "run.failure" | "run.cancelled")[];
  /** Without it, runs of all workflows are told of. */
  workflow_id?: number | undefined;
  enabled: boolean;
  /** Why it turned itself off: its receiver answered 410, or every attempt of five days failed. */
  off_reason?: "gone" | "failing" | undefined;
  /** Every attempt has failed since then. */
  failing_since?: string | undefined;
  /** Nothing is sent before: its receiver asked so (`Retry-After`). */
  quiet_until?: string | undefined;
  /** While this user is disabled, nothing is sent. */
  created_by: number;
  created_at: string;
  updated_at: string;
  /** What messages are signed with, unless they are mails. Shown only here. */
  secret?: string | undefined;
};

export type CreatedTrigger = {
  id: number;
  name: string;
  type: "schedule" | "webhook" | "folder";
  workflow_id: number;
  /** Without it, the published version runs. */
  workflow_version_id?: number | undefined;
  cog_ids: number[];
  extra_variables: Record<string, unknown>;
  enabled: boolean;
  /** Why it is off, unless somebody turned it off. `taken_over`: an admin made it run as another user, who has to turn it on. */
  off_reason?: "run_as_disabled" | "refused_repeatedly" | "taken_over" | undefined;
  /** Runs start with what this user may do. */
  run_as_user_id: number;
  /** From here to `next_fire_at`: of a schedule. */
  cron?: string | undefined;
  timezone?: string | undefined;
  /** When a run of it that was not started by hand has not ended: `allow` starts another, `skip` none, `queue_one` the newest one afterwards, `cancel_running` cancels it first. */
  overlap?: "allow" | "skip" | "queue_one" | "cancel_running" | undefined;
  /** Ticks missed while no server ran: none of them (those less than a minute old still fire), the latest, or all of the last seven days, at most 100. */
  catch_up?: "none" | "latest" | "all" | undefined;
  /** For times of the day. A schedule whose minute or hour begins with `*` follows elapsed time instead. */
  dst?: {
    /** A time that clocks leave out: moved by the length of the gap (02:30 becomes 03:30), or left out. */
    gap: "shift" | "skip";
    /** A time that comes twice. */
    overlap: "first" | "second" | "both";
  } | undefined;
  next_fire_at?: string | undefined;
  /** From here to `folder_id`: of a webhook. */
  public_id?: string | undefined;
  /** Where senders post their messages. */
  url?: string | undefined;
  /** How messages are signed: as Standard Webhooks, or as GitHub, GitLab (19.0 or newer), Stripe or Slack do. */
  preset?: "standard" | "github" | "gitlab" | "stripe" | "slack" | undefined;
  /** What the run gets from the body of a message. */
  mapping?: {
    /** What variables get. If there is no such value, the variable has its default. */
    extra_variables?: Record<string, string> | undefined;
    /** An id, or a list of ids, of files and folders below `folder_id`. */
    cog_ids?: string | undefined;
  } | undefined;
  /** Of a webhook: a message may name what is below it. Of a folder: that folder. */
  folder_id?: number | undefined;
  /** Whether files in folders below count as well; they do unless told otherwise. */
  recursive?: boolean | undefined;
  /** Of files that count, for example `image/*`; all of them if there is none. */
  media_types?: string[] | undefined;
  /** A run starts when no file has come for so long (or files have come for ten times as long), over all that came. 10 unless given. */
  debounce_seconds?: number | undefined;
  last_fired_at?: string | undefined;
  /** Of its last run, or of its last tick if that started none. */
  last_status?: string | undefined;
  created_by: number;
  created_at: string;
  updated_at: string;
  /** Of a webhook: what its sender signs with. Shown only here. */
  secret?: string | undefined;
  /** What may surprise, in words. */
  warnings?: string[] | undefined;
};

export type DefinitionUse = {
  workflow_id: number;
  workflow_name: string;
  workflow_version_id: number;
  version_number: number;
  state: "draft" | "published" | "archived";
  /** Whether it is the version that triggers and new runs take. */
  is_published: boolean;
  /** How many nodes of the version use the definition. */
  node_count: number;
};

export type Delivery = {
  id: number;
  /** `repeated`: a message of the last 24 hours again, answered with its run. `answered`: a test of the address, which starts nothing. */
  verdict: "accepted" | "repeated" | "answered" | "refused" | "disabled" | "bad_signature";
  /** Of the answer. */
  status: number;
  message_id?: string | undefined;
  reason?: string | undefined;
  workflow_run_id?: number | undefined;
  redelivery_of?: number | undefined;
  size_bytes: number;
  /** Whether it can be shown and delivered again: for seven days, up to 64 KB. */
  has_body: boolean;
  received_at: string;
};

export type DeliveryWithBody = {
  id: number;
  /** `repeated`: a message of the last 24 hours again, answered with its run. `answered`: a test of the address, which starts nothing. */
  verdict: "accepted" | "repeated" | "answered" | "refused" | "disabled" | "bad_signature";
  /** Of the answer. */
  status: number;
  message_id?: string | undefined;
  reason?: string | undefined;
  workflow_run_id?: number | undefined;
  redelivery_of?: number | undefined;
  size_bytes: number;
  /** Whether it can be shown and delivered again: for seven days, up to 64 KB. */
  has_body: boolean;
  received_at: string;
  body?: string | undefined;
};

export type DisablePreview = {
  api_keys: Affected;
  sessions: {
    /** At most 10,000 are counted. */
    count: number;
  };
  triggers: Affected;
  notices: Affected;
  runs: Affected;
  invitations: Affected;
  workflows: Affected;
  cogs: Affected;
};

export type DownloadUrl = {
  id: number;
  cog_ids: number[];
  version?: number | undefined;
  inline: boolean;
  created_by: number;
  created_at: string;
  expires_at: string;
};

export type DownloadUrlRequest = {
  /** Seconds; an hour unless given. */
  expires_in?: number | undefined;
  /** Of a file; the one that is current at the time of use unless given. */
  version?: number | undefined;
  /** To be shown instead of saved, as for a download. */
  inline?: boolean | undefined;
};

export type EffectiveAccess = {
  cog_id: number;
  user_id: number;
  level?: "viewer" | "editor" | "owner" | undefined;
  can_upload: boolean;
  can_share: boolean;
  can_delete: boolean;
  /** `root`, `workflow_outputs`: every member sees the root and the folder of all results, and creates in them. `none`: no access. */
  reason: "tenant_admin" | "grant" | "root" | "workflow_outputs" | "none";
  grant?: Permission | undefined;
  /** The same in words, for example: Editor, through the grant on “Clients”, two folders up. A folder that the caller may not see is not named. */
  explanation: string;
};

export type EnrolledWorker = {
  id: number;
  /** Shown once; every call of the worker carries it. */
  worker_token: string;
  heartbeat_interval_seconds: number;
  lease_ttl_seconds: number;
};

export type EnrollmentToken = {
  /** The worker that it enrols has this as its `enrollment_token_id`. */
  id: number;
  /** Begins with wet_, works once. */
  enrollment_token: string;
  scope: string;
  expires_at: string;
};

/** Server error, with an error_id */
export type ErrorBody = {
  detail: string | unknown[];
  /** A stable word for programs. */
  code?: string | undefined;
  /** Of a 422 with more than 100 faults: how many `detail` does not list. */
  more_faults?: number | undefined;
  /** Of a 500: what support finds it by. */
  error_id?: string | undefined;
  /** Of a 403 `quota_exceeded`: which limit, with `limit`, `used`, `reserved` and `requested`, in bytes or users. */
  quota?: "storage" | "seats" | undefined;
  limit?: number | undefined;
  used?: number | undefined;
  reserved?: number | undefined;
  requested?: number | undefined;
};

export type Exchange = {
  /** Of attempts that have ended; each counts for itself. */
  reports: {
    attempt_id: number;
    /** Fences the attempt. */
    lease_token: string;
    status: "success" | "failure" | "cancelled";
    exit_code?: number | undefined;
    error_class?: "exit_nonzero" | "oom" | "timeout" | "output_missing" | "output_invalid" | "output_upload" | "quota_exceeded" | "input_fetch" | "image_pull" | "image_not_found" | "registry_auth" | "bad_params" | "disk_limit" | "disk_full" | "evicted" | "infrastructure" | undefined;
    error_message?: string | undefined;
    outputs?: {
      port: string;
      name: string;
      /** What the program called it, in plain text, where that cannot be a name. */
      renamed_from?: string | undefined;
      object_id: number;
      size_bytes: number;
      checksum_sha256: string;
    }[] | undefined;
  }[];
  free: Capacity;
  /** How many orders are wanted at most. */
  max: number;
  /** Only without reports: a call that brings some is answered at once. */
  wait_seconds?: number | undefined;
};

export type Exchanged = {
  /** One for each report, in their order. */
  accepted: {
    attempt_id: number;
    /** `ok`, or the code with which the single call would have been refused, such as `lease_lost`. */
    result: string;
    message?: string | undefined;
  }[];
  orders: WorkOrder[];
};

export type FileVersion = {
  version: number;
  size_bytes: number;
  mime_type: string;
  checksum_sha256: string;
  created_by: number;
  created_at: string;
  is_current: boolean;
  /** The version whose content was restored by this one. */
  restored_from?: number | undefined;
};

export type Firing = {
  id: number;
  source: "tick" | "hand" | "message" | "files";
  /** When it was due by the schedule, or asked for. */
  tick_at: string;
  state: "waiting" | "fired" | "skipped" | "refused" | "superseded" | "dropped";
  reason?: string | undefined;
  /** More than one for ticks that were dropped together, counted up to 500. */
  ticks: number;
  until?: string | undefined;
  workflow_run_id?: number | undefined;
  decided_at: string;
};

export type Graph = {
  nodes: GraphNode[];
  edges: GraphEdge[];
  inputs: GraphInput[];
  variables: GraphVariable[];
  notes?: GraphNote[] | undefined;
};

export type GraphEdge = {
  from: {
    input: string;
  } | {
    node: string;
    port: string;
  };
  to: {
    node: string;
    port: string;
  };
  min_success_ratio?: number | undefined;
};

export type GraphFault = {
  code: string;
  message: string;
  node_key?: string | undefined;
  port?: string | undefined;
  path?: string[] | undefined;
  /** JSON Pointer into the graph. */
  pointer?: string | undefined;
};

export type GraphInput = {
  name: string;
  media_types?: string[] | undefined;
};

export type GraphNode = {
  key: string;
  node_definition_id: number;
  title?: string | undefined;
  params?: Record<string, unknown> | undefined;
  /** Run once per file. */
  map?: boolean | undefined;
  when?: string | undefined;
  on_error?: "fail" | "continue" | undefined;
  position?: {
    x: number;
    y: number;
  } | undefined;
};

/** A remark on the drawing. It has no part in what the graph does. */
export type GraphNote = {
  /** Chosen by the client, and the same in later versions. */
  id: string;
  /** Markdown, kept as it was written: whoever shows it must not trust HTML and links in it. */
  text: string;
  position: {
    x: number;
    y: number;
  };
  size: {
    width: number;
    height: number;
  };
  /** The nodes that it is about. One that is not there is a warning. */
  node_keys?: string[] | undefined;
};

/** What a picture of its graph needs; of a graph of more than 60 nodes absent. */
export type GraphShape = {
  nodes: {
    key: string;
    title?: string | undefined;
    map?: boolean | undefined;
  }[];
  edges: {
    from: {
      input?: string | undefined;
      node?: string | undefined;
    };
    to: {
      node: string;
    };
  }[];
  inputs: {
    name: string;
    /** What it takes; absent: files of any type. */
    media_types?: string[] | undefined;
  }[];
};

export type GraphValidation = {
  valid: boolean;
  /** At most 100. */
  errors: GraphFault[];
  /** At most 100. */
  warnings: GraphFault[];
  /** How many errors are not listed. */
  more_errors?: number | undefined;
  /** How many warnings are not listed. */
  more_warnings?: number | undefined;
};

export type GraphVariable = {
  variable_name: string;
  type: "string" | "integer" | "number" | "boolean" | "enum";
  default?: unknown;
  required?: boolean | undefined;
  description?: string | undefined;
  enum?: unknown[] | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  pattern?: string | undefined;
};

export type GridGroup = {
  /** An input of the graph: a row per file. */
  input?: string | undefined;
  /** A node whose output other nodes are mapped over. */
  node_key?: string | undefined;
  /** That output. */
  port?: string | undefined;
  /** How many rows it has; absent until that is known. */
  count?: number | undefined;
};

export type GridNode = {
  node_key: string;
  /** Place in `groups` of the rows it has cells in; absent if it runs once. */
  group?: number | undefined;
  /** The letter of its node run, if it runs once. */
  cell?: string | undefined;
  /** How many of its node runs have which letter, in the whole run; none is left out. */
  counts: Record<string, number>;
};

export type GridRow = {
  group: number;
  /** Place in its group, as of its node runs. */
  shard_index: number;
  /** Of an input file. */
  cog_id?: number | undefined;
  /** Of the file; absent where a node that ended gave none. */
  name?: string | undefined;
  /** A letter for each of `nodes`, in their order; `-` where it has no node run. */
  cells: string;
};

export type Heartbeat = {
  attempts: {
    attempt_id: number;
    /** Fences the attempt. */
    lease_token: string;
    /** How far the container says it is. */
    fraction?: number | undefined;
  }[];
  in_use?: {
    cpu?: number | undefined;
    memory_mb?: number | undefined;
    gpu?: number | undefined;
    disk_mb?: number | undefined;
  } | undefined;
  capacity?: Capacity | undefined;
  /** The worker holds nothing: what it held before it ended runs again at once. For workers without epochs; others say so with `start`. */
  just_started?: boolean | undefined;
};

export type HeartbeatAnswer = {
  lease_ttl_seconds: number;
  heartbeat_interval_seconds: number;
  /** Stop these, then report them as cancelled. */
  cancel: {
    attempt_id: number;
    grace_seconds: number;
  }[];
  /** Not yours any more: stop them, report nothing. */
  abandon: number[];
  desired_state: "active" | "draining" | "disabled";
};

export type InputPage = {
  inputs: {
    port: string;
    cardinality: "one" | "many" | "optional";
    name: string;
    size_bytes: number;
    checksum_sha256: string;
    /** Presigned GET. */
    url: string;
  }[];
  /** There are more inputs: ask for them with this as `start`, before the program runs. */
  more_inputs?: string | undefined;
};

export type InputPort = {
  name: string;
  title?: string | undefined;
  media_types?: string[] | undefined;
  cardinality: "one" | "many" | "optional";
};

export type Invitation = {
  id: number;
  email: string;
  role: "admin" | "member";
  invited_by: number;
  created_at: string;
  expires_at: string;
};

export type InvitationRequest = {
  email: string;
  role: "admin" | "member";
};

export type InvitationToken = {
  /** What follows `#` in the link. */
  token: string;
};

export type ItemError = {
  /** Of the answer, if it were a request of its own. */
  status: number;
  /** As in the answer to a request of its own. */
  detail: unknown;
  code?: string | undefined;
};

export type LateAuditBlock = {
  block: number;
  sealed_at: string;
  /** That had happened more than an hour before. */
  events: number;
};

/** The run that made the content; also where the file is a copy of a result, or it was restored. To make it again: restart the run, or start `workflow_version_id` with `variables`, and `until` if there is one. */
export type MadeBy = {
  workflow_run_id: number;
  /** Whether the run was deleted: it cannot be opened or restarted. */
  is_deleted: boolean;
  status: "queued" | "running" | "success" | "partial_success" | "failure" | "cancelled";
  test_run: boolean;
  started_by: number;
  trigger_id?: number | undefined;
  created_at: string;
  finished_at?: string | undefined;
  workflow_id: number;
  /** As it is called now. */
  workflow_name: string;
  is_workflow_deleted: boolean;
  workflow_version_id: number;
  version_number: number;
  /** The node it ended with, where it ran a part of the version. */
  until?: string | undefined;
  /** Now. An archived version cannot be run, but its runs can be restarted. */
  version_state: "draft" | "published" | "archived";
  restarted_from_run_id?: number | undefined;
  /** Whether the version is a draft that was edited since: it does something else than what ran, not counting notes, titles and positions. A restart runs what ran. Absent where a part of a draft ran: then it is not known. */
  is_version_changed?: boolean | undefined;
  node_run_id: number;
  node_key: string;
  node_title: string;
  /** The lane of a mapped node, from 0. */
  shard_index?: number | undefined;
  /** Taken over from an earlier run instead of run again. */
  cached: boolean;
  /** The run whose container wrote the bytes: this one, unless `cached`. */
  computed_in_run_id: number;
  node_definition_id: number;
  node_definition_name: string;
  node_definition_version: string;
  image: string;
  /** Absent if the definition names its image by a tag alone. */
  digest?: string | undefined;
  /** The node's params with defaults and variables. Secrets are references, `{"$secret": "NAME"}`, never values. */
  params: Record<string, unknown>;
  /** The run's variables, as a start takes them for `extra_variables`. */
  variables: Record<string, unknown>;
};

export type MadeFile = {
  /** Of the file now. `hidden`: the caller may not see it, or may not know any more what it was; then nothing else is told of it. A file that was removed for ever is named to who started the run, and to admins. */
  state: "available" | "in_trash" | "removed" | "hidden";
  cog_id?: number | undefined;
  /** As it was called in the run. */
  name?: string | undefined;
  /** If it is available and called otherwise now. */
  current_name?: string | undefined;
  media_type?: string | undefined;
  size_bytes?: number | undefined;
  checksum_sha256?: string | undefined;
  /** The node that made it. */
  node_key: string;
};

export type Me = {
  id: number;
  email: string;
  first_name: string;
  last_name: string;
  tenant_id: number;
  role: "admin" | "member";
  is_platform_admin: boolean;
  onboarding_complete: boolean;
  /** Whether I have a password here, or sign in at the external provider. */
  sign_in: "password" | "external";
  /** Whether the installation can send mails, for example of notices. */
  gets_mail: boolean;
};

export type MovedCog = {
  cog_id: number;
  cog?: Cog | undefined;
  error?: ItemError | undefined;
};

export type MovedCogs = {
  /** In the order of the ids, each with a cog or an error. */
  results: MovedCog[];
};

export type NewApiKey = {
  id: number;
  description: string;
  /** The first characters of the key. */
  key_prefix: string;
  /** When it was made. */
  created_at: string;
  /** To the minute. */
  last_used_at?: string | undefined;
  /** When it stops by itself. */
  expires_at?: string | undefined;
  /** `read`: only what changes nothing, also with tokens that it is exchanged for; 403 `read_only_key` for all else. */
  access: "full" | "read";
  /** The whole key. Shown this once. */
  access_key: string;
};

export type NewDownloadUrl = {
  id: number;
  cog_ids: number[];
  version?: number | undefined;
  inline: boolean;
  created_by: number;
  created_at: string;
  expires_at: string;
  url: string;
};

export type NewInvitation = {
  id: number;
  email: string;
  role: "admin" | "member";
  invited_by: number;
  created_at: string;
  expires_at: string;
  /** To hand over to whoever is invited. Shown only now, and good for one use. */
  link: string;
  /** Whether it is sent by mail as well: at most five times a day to one address, a thousand in all, and not without a mail server. */
  is_mailed: boolean;
};

export type NewNodeDefinition = {
  name: string;
  version: string;
  title?: string | undefined;
  description?: string | undefined;
  category?: string | undefined;
  image: string;
  digest?: string | undefined;
  /** argv entries, never a shell string. They take {{params.x}}, {{vars.x}}, {{inputs.port.path}}, {{file.name}}, {{file.stem}}, {{run.id}}. A secret param (x-secret) is refused here as secret_in_command: it reaches the program as PARAM_<NAME> and in /data/params.json. */
  command: string[];
  env?: Record<string, string> | undefined;
  inputs?: InputPort[] | undefined;
  outputs: OutputPort[];
  /** A JSON Schema 2020-12 object. */
  params?: Record<string, unknown> | undefined;
  resources?: Resources | undefined;
  timeout_seconds?: number | undefined;
  retry?: Retry | undefined;
  network?: "none" | "egress" | undefined;
  cache?: CachePolicy | undefined;
};

export type NewNotice = {
  name?: string | undefined;
  /** https, at a public address. Redirects are not followed. */
  url?: string | undefined;
  /** Instead of `url`: sends a mail to my address. Cannot be changed afterwards. */
  by_mail?: boolean | undefined;
  /** How a run must have ended. */
  events: ("run.success" | "run.partial_success" | "run.failure" | "run.cancelled")[];
  /** Only runs of this workflow. */
  workflow_id?: number | undefined;
  enabled?: boolean | undefined;
  /** `whsec_` and 24 to 64 bytes in base64; without it one is made. */
  secret?: string | undefined;
};

export type NewNoticeSecret = {
  /** `whsec_` and 24 to 64 bytes in base64; without it one is made. */
  secret?: string | undefined;
  /** How long messages are signed with the old one as well. */
  overlap_seconds?: number | undefined;
};

export type NewSecret = {
  name: string;
  kind: "generic" | "registry";
  /** A string for kind `generic`, credentials for kind `registry`. Never readable again. */
  value: string | RegistryCredentials;
};

export type NewTenant = {
  id: number;
  name: string;
  created_at: string;
  plan: "unlimited" | "free" | "team" | "business";
  /** For each period. Absent without a limit. */
  credits_limit?: number | undefined;
  /** In this period, without what is held for work. Absent without a limit. */
  credits_remaining?: number | undefined;
  /** To the limit of this period; absent if nothing was. */
  credits_added?: number | undefined;
  /** Active users. */
  user_count: number;
  /** Active users and open invitations. */
  seats_used: number;
  /** Absent without a limit. */
  seats_limit?: number | undefined;
  storage_used_bytes: number;
  /** Absent without a limit. */
  storage_limit_bytes?: number | undefined;
  /** Absent without a limit. */
  max_running_node_runs?: number | undefined;
  admin: {
    user_id: number;
    email: string;
    /** To hand over. Shown only now, and good for the first sign-in. Absent with an external identity provider. */
    password?: string | undefined;
  };
};

export type NewTenantRequest = {
  name: string;
  admin_email: string;
};

export type NewTrigger = {
  name: string;
  type: "schedule" | "webhook" | "folder";
  /** Its published version runs. */
  workflow_id?: number | undefined;
  /** This version runs, instead of the published one. */
  workflow_version_id?: number | undefined;
  /** What each run begins with; a folder stands for the files in it at that moment. */
  cog_ids?: number[] | undefined;
  extra_variables?: Record<string, unknown> | undefined;
  enabled?: boolean | undefined;
  /** Minute, hour, day of month, month, day of week. */
  cron?: string | undefined;
  timezone?: string | undefined;
  /** When a run of it that was not started by hand has not ended: `allow` starts another, `skip` none, `queue_one` the newest one afterwards, `cancel_running` cancels it first. */
  overlap?: "allow" | "skip" | "queue_one" | "cancel_running" | undefined;
  /** Ticks missed while no server ran: none of them (those less than a minute old still fire), the latest, or all of the last seven days, at most 100. */
  catch_up?: "none" | "latest" | "all" | undefined;
  dst?: {
    /** A time that clocks leave out: moved by the length of the gap (02:30 becomes 03:30), or left out. */
    gap?: "shift" | "skip" | undefined;
    /** A time that comes twice. */
    overlap?: "first" | "second" | "both" | undefined;
  } | undefined;
  /** How messages are signed: as Standard Webhooks, or as GitHub, GitLab (19.0 or newer), Stripe or Slack do. */
  preset?: "standard" | "github" | "gitlab" | "stripe" | "slack" | undefined;
  /** Where the sender gives it; otherwise it is made. For `standard` and `gitlab`: `whsec_` and 24 to 64 bytes in base64. */
  secret?: string | undefined;
  /** What the run gets from the body of a message. */
  mapping?: {
    /** What variables get. If there is no such value, the variable has its default. */
    extra_variables?: Record<string, string> | undefined;
    /** An id, or a list of ids, of files and folders below `folder_id`. */
    cog_ids?: string | undefined;
  } | undefined;
  folder_id?: number | undefined;
  /** Whether files in folders below count as well; they do unless told otherwise. */
  recursive?: boolean | undefined;
  /** Of files that count, for example `image/*`; all of them if there is none. */
  media_types?: string[] | undefined;
  /** A run starts when no file has come for so long (or files have come for ten times as long), over all that came. 10 unless given. */
  debounce_seconds?: number | undefined;
};

export type NewTriggerSecret = {
  /** Where the sender gives it; otherwise it is made. For `standard` and `gitlab`: `whsec_` and 24 to 64 bytes in base64. */
  secret?: string | undefined;
  /** How long messages that the old secret has signed are still accepted. */
  overlap_seconds?: number | undefined;
};

export type NewWorker = {
  enrollment_token?: string | undefined;
  name: string;
  labels?: string[] | undefined;
  capacity: Capacity;
  /** What the worker can do besides its size: `egress` gives a container the internet. Left out: everything, as workers of an earlier release. */
  features?: "egress"[] | undefined;
  version?: string | undefined;
};

export type NewWorkflow = {
  name: string;
  description?: string | undefined;
  /** How many node runs of all its runs may be leased to workers at the same time. Null: no limit. */
  max_running?: number | null | undefined;
  graph?: Graph | undefined;
};

export type NewWorkflowTemplate = {
  name: string;
  description?: string | undefined;
  category?: string | undefined;
  /** For all, or for one organization. */
  scope?: "platform" | "tenant" | undefined;
  graph?: Graph | undefined;
  /** The graph of this version, instead of `graph`. */
  workflow_version_id?: number | undefined;
};

export type NodeDefinition = {
  id: number;
  name: string;
  version: string;
  title: string;
  description: string;
  category: string;
  image: string;
  digest?: string | undefined;
  command: string[];
  env: Record<string, string>;
  inputs: InputPort[];
  outputs: OutputPort[];
  params: Record<string, unknown>;
  resources: Resources;
  timeout_seconds: number;
  retry: Retry;
  network: "none" | "egress";
  cache: CachePolicy;
  scope: "platform" | "tenant";
  created_at: string;
};

export type NodeRun = {
  id: number;
  node_key: string;
  title: string;
  node_definition_id: number;
  status: "pending" | "queued" | "running" | "success" | "failure" | "cancelled" | "skipped";
  skip_reason?: string | undefined;
  /** Why it waits, as of now; after a failed try, how that failed and when the next one is. */
  queue_reason?: string | undefined;
  cog_id?: number | undefined;
  shard_index?: number | undefined;
  attempt: number;
  max_attempts: number;
  /** Taken over from an earlier run instead of run again. */
  cached: boolean;
  /** The node run it was taken over from, of the run's `restarted_from_run_id` or `reuse_from_run_id`. */
  reused_from_node_run_id?: number | undefined;
  worker_id?: number | undefined;
  exit_code?: number | undefined;
  error_class?: string | undefined;
  error_message?: string | undefined;
  queued_at?: string | undefined;
  started_at?: string | undefined;
  finished_at?: string | undefined;
  outputs: NodeRunOutput[];
  /** The secrets that its attempts got, those for registries among them. */
  secrets?: SecretGiven[] | undefined;
  /** Only where they are asked for: the newest 20 tries, the first of them first. */
  attempts?: Attempt[] | undefined;
};

export type NodeRunOutput = {
  port: string;
  /** As the program wrote it, where that can be a name here. */
  name: string;
  /** What the program called it where that cannot be a name: it had control characters, was no UTF-8 or longer than 255 bytes. These are spelled out as \xNN. */
  renamed_from?: string | undefined;
  size_bytes: number;
  checksum_sha256: string;
  media_type: string;
  /** The file that became of it, if it is a result of the run; in a test `until` a node each output is. Absent when the results of a test have been removed. */
  cog_id?: number | undefined;
};

export type Notice = {
  id: number;
  name?: string | undefined;
  /** What is called, unless it is sent by mail. For those who may not change the notice only its origin: the rest is often a password. */
  url?: string | undefined;
  /** It is sent by mail, to the address of who made it. */
  by_mail: boolean;
  events: ("run.success" | "run.partial_success" | "run.failure" | "run.cancelled")[];
  /** Without it, runs of all workflows are told of. */
  workflow_id?: number | undefined;
  enabled: boolean;
  /** Why it turned itself off: its receiver answered 410, or every attempt of five days failed. */
  off_reason?: "gone" | "failing" | undefined;
  /** Every attempt has failed since then. */
  failing_since?: string | undefined;
  /** Nothing is sent before: its receiver asked so (`Retry-After`). */
  quiet_until?: string | undefined;
  /** While this user is disabled, nothing is sent. */
  created_by: number;
  created_at: string;
  updated_at: string;
};

export type NoticeAttempt = {
  attempted_at: string;
  duration_ms: number;
  /** Of the answer, of a mail server as well. Anything but 2xx is a failure. */
  status?: number | undefined;
  /** Why there was no answer, or what that of a mail server means. */
  error?: string | undefined;
};

export type NoticeChanges = {
  name?: string | null | undefined;
  /** https, at a public address. Redirects are not followed. */
  url?: string | undefined;
  /** How a run must have ended. */
  events?: ("run.success" | "run.partial_success" | "run.failure" | "run.cancelled")[] | undefined;
  workflow_id?: number | null | undefined;
  enabled?: boolean | undefined;
};

export type NoticeDelivery = {
  id: number;
  /** The `webhook-id` of all attempts, so that receivers recognise a repetition. Mails have it in their `Message-ID`. */
  message_id: string;
  type: "run.success" | "run.partial_success" | "run.failure" | "run.cancelled" | "test";
  workflow_run_id?: number | undefined;
  /** `failed`: no more attempts are made. */
  state: "waiting" | "delivered" | "failed";
  /** Of one that waits. */
  next_attempt_at?: string | undefined;
  /** The last fifty, in order. */
  attempts: NoticeAttempt[];
  created_at: string;
};

export type OneConfirmation = {
  upload_id: number;
  storage_upload_id: string;
  file_size: number;
  /** A list, or JSON of one, with `part_number` and `etag` of every part in any order. `PartNumber` and `ETag` are understood too. */
  parts_json: Record<string, unknown>[] | string;
  /** Another folder than announced. */
  parent_id?: number | undefined;
  /** Another name than announced. */
  name?: string | undefined;
  /** As the header of a request of its own, for a new version. */
  if_match?: string | undefined;
};

export type OpenInvitation = {
  /** As the parameter `invitation` of an authorization request: this one is asked about first. */
  id: number;
  organization: string;
  email: string;
  role: "admin" | "member";
  expires_at: string;
  /** `password`: accept it with a password of your choice. `sign_in`: sign in with this address, at the identity provider; the first sign-in asks whether to join. */
  needs: "password" | "sign_in";
};

export type Organization = {
  /** The `tenant_id` of its users. */
  id: number;
  name: string;
};

export type OrganizationChanges = {
  name: string;
};

export type OutputPort = {
  name: string;
  /** Which files below /data/outputs are this output. */
  glob: string;
  cardinality: "one" | "many" | "optional";
  media_type?: string | undefined;
};

export type PartUrl = {
  part_number: number;
  /** For a PUT of exactly this size, without credentials. */
  url: string;
  size_bytes: number;
};

export type PartUrls = {
  parts: PartUrl[];
};

export type PasswordChange = {
  current_password: string;
  new_password: string;
};

export type Permission = {
  permission_id: number;
  target_type: "cog";
  /** The cog that the grant sits on. */
  target_id: number;
  user_id: number;
  level: "viewer" | "editor" | "owner";
  expires_at?: string | undefined;
  /** Overrides what the level says about adding and changing; absent: it decides. */
  can_upload?: boolean | undefined;
  /** Overrides what the level says about sharing; absent: it decides. */
  can_share?: boolean | undefined;
  /** Overrides what the level says about deleting; absent: it decides. */
  can_delete?: boolean | undefined;
  created_by: number;
  created_at: string;
  updated_at: string;
  /** Present when the grant sits on a folder above. */
  inherited?: boolean | undefined;
  /** That folder. */
  inherited_from?: number | undefined;
  /** Present when a nearer grant of the user decides instead. */
  overridden?: boolean | undefined;
};

export type PlacedCog = {
  id: number;
  name: string;
  cog_type: "master_folder" | "asset_folder" | "file";
  /** Absent for the root. */
  parent_id?: number | undefined;
  /** Who made it, or took it over. What they may do is said by grants. */
  owner_id: number;
  size_bytes?: number | undefined;
  mime_type?: string | undefined;
  /** Hexadecimal. */
  checksum_sha256?: string | undefined;
  /** Counts the contents of a file, from 1. */
  version?: number | undefined;
  /** True for the folder with the results of a test, absent otherwise. It is removed 24 hours after its run has ended; until then nothing is put into it, and it is not renamed, moved or deleted. */
  test_results?: boolean | undefined;
  created_at: string;
  updated_at: string;
  access: Access;
  /** With `with_above=true`: the folders above it that the caller may see, from the root. Absent if the folder that it was in is deleted. */
  above?: AboveCog[] | undefined;
};

export type PreviewBeingMade = {
  status: "being_made";
};

export type ProcessStart = {
  capacity?: Capacity | undefined;
  /** What the worker can do besides its size: `egress` gives a container the internet. Left out: everything, as workers of an earlier release. */
  features?: "egress"[] | undefined;
  version?: string | undefined;
  /** A process known to be gone with its containers: what it holds runs again at once. Left out when nobody can know. */
  ended_epoch?: number | undefined;
};

export type Progress = {
  progress_percentage: number;
  completed_nodes: number;
  total_nodes: number;
  current_node: string | null;
};

export type Provenance = {
  cog_id: number;
  /** The content that this tells the origin of. */
  version: number;
  is_current: boolean;
  /** `run`: a result of a run. `copied`: the content of another file. `restored`: that of an earlier version. `uploaded`: by a user, and no run of this organization made it; so are copies from before copies were recorded, once all other files of the same content are gone. */
  origin: "run" | "copied" | "restored" | "uploaded";
  /** As `created_by` in the list of versions. */
  stored_by: number;
  stored_at: string;
  copied_from?: CopiedFrom | undefined;
  /** The version that was restored. */
  restored_from?: number | undefined;
  made_by?: MadeBy | undefined;
  /** The first 100 input files that it was made from: of a node that runs per file the file of its lane, of a node that gathers all files whose lanes lead to it. */
  inputs: ProvenanceInput[];
  /** How many input files it was made from. */
  inputs_total: number;
  /** How many of `inputs` the caller may not see: their rows tell nothing else. */
  inputs_hidden: number;
  /** The newest 20 runs that any version of the file went into. */
  used_in: ProvenanceRun[];
  /** Whether there are more: they are listed apart. */
  more_used_in: boolean;
};

export type ProvenanceInput = {
  /** The input of the graph. */
  input_name: string;
  /** Among the files of that input, from 0. */
  position: number;
  /** Of the file now. `hidden`: the caller may not see it, or may not know any more what it was; then nothing else is told of it. A file that was removed for ever is named to who started the run, and to admins. */
  state: "available" | "in_trash" | "removed" | "hidden";
  cog_id?: number | undefined;
  /** As it was called in the run. */
  name?: string | undefined;
  /** If it is available and called otherwise now. */
  current_name?: string | undefined;
  media_type?: string | undefined;
  size_bytes?: number | undefined;
  checksum_sha256?: string | undefined;
  /** The version that went in. Absent if the file or that version was removed before versions were recorded. */
  version?: number | undefined;
  /** Of an available file. */
  current_version?: number | undefined;
  /** Whether something of it is in the content: not if its lane failed or was skipped before the node that gathers. */
  contributed?: boolean | undefined;
  /** Whether the bytes that went in are still stored. */
  is_stored?: boolean | undefined;
};

export type ProvenanceRun = {
  workflow_run_id: number;
  /** Whether the run was deleted: it cannot be opened or restarted. */
  is_deleted: boolean;
  status: "queued" | "running" | "success" | "partial_success" | "failure" | "cancelled";
  test_run: boolean;
  started_by: number;
  trigger_id?: number | undefined;
  created_at: string;
  finished_at?: string | undefined;
  workflow_id: number;
  /** As it is called now. */
  workflow_name: string;
  is_workflow_deleted: boolean;
  workflow_version_id: number;
  version_number: number;
  /** The node it ended with, where it ran a part of the version. */
  until?: string | undefined;
  /** Now. An archived version cannot be run, but its runs can be restarted. */
  version_state: "draft" | "published" | "archived";
  /** The input of the graph that the file was for. */
  input_name: string;
  /** Among the files of that input, from 0. */
  position: number;
  /** The version of the file that went in, if that is known. */
  version?: number | undefined;
  /** The first five results that were made from it. */
  files: MadeFile[];
  /** How many of these the caller may not see: their rows tell nothing else. */
  files_hidden: number;
  /** Whether there are more, or may be where many nodes end the graph: they are listed apart. */
  more_files: boolean;
};

export type Publication = {
  /** Publishes only the logic that was seen: 412 if the draft does something else by now. */
  logic_hash?: string | undefined;
  /** The `published_version_id` of the workflow that was seen; null: none. Takes the place of no other: 409 `other_published` if another one is published by now. Of a version that is published already it is not looked at. */
  published_version_id?: number | null | undefined;
};

export type RefreshRequest = {
  refresh_token: string;
};

export type RefreshedToken = {
  access_token: string;
  token_type: "Bearer";
  /** Seconds. */
  expires_in: number;
  scope: string;
  /** Good for one use. */
  refresh_token: string;
};

export type RegistryCredentials = {
  server: string;
  username: string;
  password: string;
};

export type RemovedCog = {
  cog_id: number;
  error?: ItemError | undefined;
};

export type RemovedCogs = {
  /** In the order of the ids; an error says why one is still there. */
  results: RemovedCog[];
};

export type Report = {
  /** When the first period begins. */
  from: string;
  /** When the last one ends. */
  to: string;
  bucket: "hour" | "day" | "week" | "month";
  tz: string;
  series: Series[];
  /** By key, over the whole range: distinct users once, durations of all runs, what is stored at its end. */
  totals: Record<string, number>;
};

export type Resources = {
  cpu: number;
  memory_mb: number;
  gpu: number;
  disk_mb: number;
};

export type RestartRun = {
  /** Without it `all` after success, else `failed`; not together with `only`. If the results of the run were removed, always `all`. */
  mode?: "failed" | "all" | undefined;
  /** These run again, and what depends on them; the rest is taken over as it ended, failures included. What was stopped before its end has nothing to take over, and runs. A variable that others use too cannot change (422 `not_run_again`); what follows a failure that is taken over cannot run (422 `upstream_failed`). 409 `results_removed` if the results of the run were removed. */
  only?: ChosenNodeRun[] | undefined;
  extra_variables?: Record<string, unknown> | undefined;
  /** What the new run may spend, if not as much as the old one might. */
  max_credits?: number | undefined;
};

export type RestartedRun = {
  workflow_run_id: number;
  cog_ids: number[];
  restarted_from_run_id: number;
};

/** Without `access` for those who deleted it and have no access to it any more. */
export type RestoredCog = {
  id: number;
  name: string;
  cog_type: "master_folder" | "asset_folder" | "file";
  /** Absent for the root. */
  parent_id?: number | undefined;
  /** Who made it, or took it over. What they may do is said by grants. */
  owner_id: number;
  size_bytes?: number | undefined;
  mime_type?: string | undefined;
  /** Hexadecimal. */
  checksum_sha256?: string | undefined;
  /** Counts the contents of a file, from 1. */
  version?: number | undefined;
  /** True for the folder with the results of a test, absent otherwise. It is removed 24 hours after its run has ended; until then nothing is put into it, and it is not renamed, moved or deleted. */
  test_results?: boolean | undefined;
  created_at: string;
  updated_at: string;
  access?: Access | undefined;
};

export type RestoredCogs = {
  /** In the order of the ids, each with a cog or an error. */
  results: CogRestoration[];
};

export type Retry = {
  max_attempts: number;
  on: string[];
};

export type RotateApiKeyRequest = {
  /** How long the old key still works; at most a week. */
  overlap_seconds?: number | undefined;
};

export type RotatedNoticeSecret = {
  /** Shown only here. */
  secret: string;
  old_secret_ends_at?: string | undefined;
};

export type RotatedTriggerSecret = {
  /** Shown only here. */
  secret: string;
  old_secret_ends_at?: string | undefined;
};

export type RunFile = {
  id: number;
  cog_id: number;
  direction: "input" | "output";
  node_key?: string | undefined;
  name: string;
  size_bytes: number;
  checksum_sha256: string;
  status: "pending" | "processing" | "success" | "failure" | "cancelled" | "skipped";
  error_message?: string | undefined;
};

export type RunGrid = {
  /** In topological order. */
  nodes: GridNode[];
  /** In the order of their rows. */
  groups: GridGroup[];
  rows: GridRow[];
};

export type Secret = {
  id: number;
  name: string;
  kind: "generic" | "registry";
  /** Of a registry secret: host, and port if any. */
  server?: string | undefined;
  /** The secret for the installation's own registry: workers get credentials made for each pull. It cannot be changed or deleted. */
  is_managed: boolean;
  /** Counts the values it has had. */
  version: number;
  created_at: string;
  updated_at: string;
  last_used_at?: string | undefined;
};

export type SecretGiven = {
  /** Which try got it, from 1. */
  attempt: number;
  name: string;
  /** The `version` that the secret had then. */
  version: number;
};

export type SecretTest = {
  /** `reached`: it accepts the credentials. `unauthorized`: it refuses them. `unreachable`: no answer, no such host, or one that may not be called from here. `no_tls`, `untrusted_certificate`: nothing was sent. `no_registry`: something else answers. */
  outcome: "reached" | "no_credentials_needed" | "unauthorized" | "unreachable" | "no_tls" | "untrusted_certificate" | "no_registry";
  /** The same in words. */
  message: string;
  /** Which version was tested. */
  version: number;
};

export type SecretUse = {
  workflow_id: number;
  name: string;
};

export type SecretWithUse = {
  id: number;
  name: string;
  kind: "generic" | "registry";
  /** Of a registry secret: host, and port if any. */
  server?: string | undefined;
  /** The secret for the installation's own registry: workers get credentials made for each pull. It cannot be changed or deleted. */
  is_managed: boolean;
  /** Counts the values it has had. */
  version: number;
  created_at: string;
  updated_at: string;
  last_used_at?: string | undefined;
  /** Workflows with a version that needs it and is published, or run by a trigger that is on; a hundred at most: while there are some, it cannot be deleted. */
  used_by: SecretUse[];
};

export type SelectionUrlRequest = {
  /** Seconds; an hour unless given. */
  expires_in?: number | undefined;
  cog_ids: number[];
};

export type Series = {
  key: string;
  title: string;
  /** The name of the node definition, worker, user or workflow that it is about. */
  subject?: string | undefined;
  unit: "count" | "seconds" | "credits" | "bytes";
  points: {
    /** When the period begins. */
    t: string;
    value: number;
  }[];
};

export type Session = {
  id: number;
  /** Browser and system, such as `Firefox on Linux`. */
  device: string;
  /** The network address of the last sign-in. */
  address: string;
  created_at: string;
  /** When its tokens were made or renewed last; used ones are renewed every hour. */
  last_used_at: string;
  /** Whether this request belongs to it. */
  is_current: boolean;
};

export type SignInConfig = {
  issuer: string;
  client_id: string;
  authorization_endpoint: string;
  token_endpoint: string;
  end_session_endpoint?: string | undefined;
  /** To be asked for, as far as known. */
  scopes: string[];
  /** Whether everybody signs in with a password that is kept here. */
  is_embedded: boolean;
  /** An external provider, which the sign-in page offers. */
  external?: {
    name: string;
    issuer: string;
  } | undefined;
};

export type StartRun = {
  /** Input files; a folder stands for the files in it. */
  cog_ids: number[];
  extra_variables?: Record<string, unknown> | undefined;
  /** Folder for the outputs instead of `Workflow outputs`. */
  output_parent_id?: number | undefined;
  /** Without it true; false for a draft that runs `until` a node, unless `output_parent_id` is given. Results that are not kept are in no list of files, no search and no network drive: the run and `output_folder_id` lead to them. 24 hours after the run has ended, or when it is deleted, they are removed, with what its nodes passed on to each other; what was moved or copied elsewhere stays. False together with `output_parent_id` is 422 `excluded`. */
  keep_results?: boolean | undefined;
  priority?: "low" | "normal" | "high" | undefined;
  on_failure?: "continue" | "abort" | undefined;
  /** What the run may spend: never more. A step for which five minutes are not left any more does not start, and fails with `insufficient_credits` once nothing of the run is under way. Digits after a thousandth do not count. */
  max_credits?: number | undefined;
  /** The key of a node: only what leads to it runs, and it; its outputs are the results, and without `keep_results` those of the others too. Files go to the inputs they go to in a run of all; those of inputs that do not lead to the node are left out. Faults of other nodes do not matter, and variables that only others use may be missing. */
  until?: string | undefined;
  /** A run of the same workflow that has ended. Node runs that succeeded there are taken over if node key, definition, command, params, connections and inputs are equal; a command with `{{run.id}}` never is. Of a run whose results were removed nothing is: all runs. Needs what a restart of that run needs. */
  reuse_from_run_id?: number | undefined;
};

export type StartedProcess = {
  /** Further calls carry it: the Bearer token is the worker token, a dot, and this number. */
  epoch: number;
  heartbeat_interval_seconds: number;
  lease_ttl_seconds: number;
};

export type StartedRun = {
  workflow_run_id: number;
  cog_ids: number[];
};

export type StoredPart = {
  part_number: number;
  size_bytes: number;
  etag: string;
};

export type Subscription = {
  plan: {
    name: string;
  };
  /** In the period. One credit is one minute of one cpu while a container runs; memory beyond 4 GiB per cpu counts as a quarter cpu per 4 GiB, a gpu as 20 cpus. An attempt is rounded up once, to a thousandth. Queueing, pulls, results taken over and what the platform spoilt are free. */
  credits_used: number;
  /** Absent without a limit. What is held for work under way is neither remaining nor used: credits are held for five minutes at a time, and what was not needed returns when the work ends. */
  credits_remaining?: number | undefined;
  /** For each period. Absent without a limit. */
  credits_limit?: number | undefined;
  /** On top of `credits_limit`, in this period alone; absent if nothing was. */
  credits_added?: number | undefined;
  period_start: string;
  period_end: string;
  /** Of all stored contents, earlier versions and the trash included. Copies share their bytes and count once. Previews do not count. */
  storage_used_bytes: number;
  /** Absent without a limit. Bytes reserved by uploads under way count against it as well. */
  storage_limit_bytes?: number | undefined;
  /** Active users and open invitations. */
  seats_used: number;
  /** Absent without a limit. */
  seats_limit?: number | undefined;
};

export type TemplateInstantiation = {
  name: string;
  description?: string | undefined;
};

export type TemplateRequirement = {
  kind: "registry" | "image" | "secret" | "egress" | "resources" | "variable";
  /** Which one: a host, a name, or what a node needs. */
  name: string;
  /** Absent for variables, which are given at each start. */
  is_met?: boolean | undefined;
  /** Of images that the installation makes itself: `absent` until one is first needed. Runs wait while it is `building`. */
  state?: "absent" | "building" | "ready" | "failed" | undefined;
  /** What it is, and what to do if it is not met. */
  message: string;
};

/** A file to try a template on. */
export type TemplateSample = {
  name: string;
  media_type: string;
  size_bytes: number;
  /** On purpose: it fails, which shows what becomes of the others. */
  is_damaged: boolean;
};

export type Tenant = {
  id: number;
  name: string;
  created_at: string;
  plan: "unlimited" | "free" | "team" | "business";
  /** For each period. Absent without a limit. */
  credits_limit?: number | undefined;
  /** In this period, without what is held for work. Absent without a limit. */
  credits_remaining?: number | undefined;
  /** To the limit of this period; absent if nothing was. */
  credits_added?: number | undefined;
  /** Active users. */
  user_count: number;
  /** Active users and open invitations. */
  seats_used: number;
  /** Absent without a limit. */
  seats_limit?: number | undefined;
  storage_used_bytes: number;
  /** Absent without a limit. */
  storage_limit_bytes?: number | undefined;
  /** Absent without a limit. */
  max_running_node_runs?: number | undefined;
};

export type TenantChanges = {
  name?: string | undefined;
  /** Sets the limits on credits, seats and storage to those of the plan, but for those that are given as well. */
  plan?: "unlimited" | "free" | "team" | "business" | undefined;
  /** `null` ends the limit. */
  credits_limit?: number | null | undefined;
  /** `null` ends the limit. */
  seats_limit?: number | null | undefined;
  /** `null` ends the limit. */
  storage_limit_bytes?: number | null | undefined;
  /** `null` ends the limit. */
  max_running_node_runs?: number | null | undefined;
};

export type TrashedCog = {
  id: number;
  name: string;
  cog_type: "master_folder" | "asset_folder" | "file";
  /** Absent for the root. */
  parent_id?: number | undefined;
  /** Who made it, or took it over. What they may do is said by grants. */
  owner_id: number;
  size_bytes?: number | undefined;
  mime_type?: string | undefined;
  /** Hexadecimal. */
  checksum_sha256?: string | undefined;
  /** Counts the contents of a file, from 1. */
  version?: number | undefined;
  /** True for the folder with the results of a test, absent otherwise. It is removed 24 hours after its run has ended; until then nothing is put into it, and it is not renamed, moved or deleted. */
  test_results?: boolean | undefined;
  created_at: string;
  updated_at: string;
  deleted_at: string;
  deleted_by: number;
  /** When it is removed for ever. */
  expires_at: string;
  /** With `with_above=true`: the folders above it that the caller may see, from the root. Absent if the folder that it was in is deleted. */
  above?: AboveCog[] | undefined;
};

export type TreeCog = {
  id: number;
  name: string;
  cog_type: "master_folder" | "asset_folder" | "file";
  /** Absent for the root. */
  parent_id?: number | undefined;
  /** Who made it, or took it over. What they may do is said by grants. */
  owner_id: number;
  size_bytes?: number | undefined;
  mime_type?: string | undefined;
  /** Hexadecimal. */
  checksum_sha256?: string | undefined;
  /** Counts the contents of a file, from 1. */
  version?: number | undefined;
  /** True for the folder with the results of a test, absent otherwise. It is removed 24 hours after its run has ended; until then nothing is put into it, and it is not renamed, moved or deleted. */
  test_results?: boolean | undefined;
  created_at: string;
  updated_at: string;
  access: Access;
  /** The names from the listed folder down to it, separated by "/". */
  path: string;
};

export type Trigger = {
  id: number;
  name: string;
  type: "schedule" | "webhook" | "folder";
  workflow_id: number;
  /** Without it, the published version runs. */
  workflow_version_id?: number | undefined;
  cog_ids: number[];
  extra_variables: Record<string, unknown>;
  enabled: boolean;
  /** Why it is off, unless somebody turned it off. `taken_over`: an admin made it run as another user, who has to turn it on. */
  off_reason?: "run_as_disabled" | "refused_repeatedly" | "taken_over" | undefined;
  /** Runs start with what this user may do. */
  run_as_user_id: number;
  /** From here to `next_fire_at`: of a schedule. */
  cron?: string | undefined;
  timezone?: string | undefined;
  /** When a run of it that was not started by hand has not ended: `allow` starts another, `skip` none, `queue_one` the newest one afterwards, `cancel_running` cancels it first. */
  overlap?: "allow" | "skip" | "queue_one" | "cancel_running" | undefined;
  /** Ticks missed while no server ran: none of them (those less than a minute old still fire), the latest, or all of the last seven days, at most 100. */
  catch_up?: "none" | "latest" | "all" | undefined;
  /** For times of the day. A schedule whose minute or hour begins with `*` follows elapsed time instead. */
  dst?: {
    /** A time that clocks leave out: moved by the length of the gap (02:30 becomes 03:30), or left out. */
    gap: "shift" | "skip";
    /** A time that comes twice. */
    overlap: "first" | "second" | "both";
  } | undefined;
  next_fire_at?: string | undefined;
  /** From here to `folder_id`: of a webhook. */
  public_id?: string | undefined;
  /** Where senders post their messages. */
  url?: string | undefined;
  /** How messages are signed: as Standard Webhooks, or as GitHub, GitLab (19.0 or newer), Stripe or Slack do. */
  preset?: "standard" | "github" | "gitlab" | "stripe" | "slack" | undefined;
  /** What the run gets from the body of a message. */
  mapping?: {
    /** What variables get. If there is no such value, the variable has its default. */
    extra_variables?: Record<string, string> | undefined;
    /** An id, or a list of ids, of files and folders below `folder_id`. */
    cog_ids?: string | undefined;
  } | undefined;
  /** Of a webhook: a message may name what is below it. Of a folder: that folder. */
  folder_id?: number | undefined;
  /** Whether files in folders below count as well; they do unless told otherwise. */
  recursive?: boolean | undefined;
  /** Of files that count, for example `image/*`; all of them if there is none. */
  media_types?: string[] | undefined;
  /** A run starts when no file has come for so long (or files have come for ten times as long), over all that came. 10 unless given. */
  debounce_seconds?: number | undefined;
  last_fired_at?: string | undefined;
  /** Of its last run, or of its last tick if that started none. */
  last_status?: string | undefined;
  created_by: number;
  created_at: string;
  updated_at: string;
};

export type TriggerChanges = {
  name?: string | undefined;
  workflow_id?: number | undefined;
  workflow_version_id?: number | null | undefined;
  /** What each run begins with; a folder stands for the files in it at that moment. */
  cog_ids?: number[] | undefined;
  extra_variables?: Record<string, unknown> | undefined;
  enabled?: boolean | undefined;
  /** Oneself: nobody names others. */
  run_as_user_id?: number | undefined;
  /** Minute, hour, day of month, month, day of week. */
  cron?: string | undefined;
  timezone?: string | undefined;
  /** When a run of it that was not started by hand has not ended: `allow` starts another, `skip` none, `queue_one` the newest one afterwards, `cancel_running` cancels it first. */
  overlap?: "allow" | "skip" | "queue_one" | "cancel_running" | undefined;
  /** Ticks missed while no server ran: none of them (those less than a minute old still fire), the latest, or all of the last seven days, at most 100. */
  catch_up?: "none" | "latest" | "all" | undefined;
  dst?: {
    /** A time that clocks leave out: moved by the length of the gap (02:30 becomes 03:30), or left out. */
    gap?: "shift" | "skip" | undefined;
    /** A time that comes twice. */
    overlap?: "first" | "second" | "both" | undefined;
  } | undefined;
  /** What the run gets from the body of a message. */
  mapping?: {
    /** What variables get. If there is no such value, the variable has its default. */
    extra_variables?: Record<string, string> | undefined;
    /** An id, or a list of ids, of files and folders below `folder_id`. */
    cog_ids?: string | undefined;
  } | undefined;
  folder_id?: number | null | undefined;
  /** Whether files in folders below count as well; they do unless told otherwise. */
  recursive?: boolean | undefined;
  /** Of files that count, for example `image/*`; all of them if there is none. */
  media_types?: string[] | undefined;
  /** A run starts when no file has come for so long (or files have come for ten times as long), over all that came. 10 unless given. */
  debounce_seconds?: number | undefined;
};

export type UploadDetails = {
  upload_id: number;
  storage_upload_id: string;
  chunk_size: number;
  expires_at: string;
  name: string;
  parent_id?: number | undefined;
  /** The file, once there is one. */
  cog_id?: number | undefined;
  file_size: number;
  mime_type: string;
  /** As declared. */
  checksum_sha256?: string | undefined;
  /** `completing`: a confirmation is under way. `failed`: the checksum was wrong. */
  state: "open" | "completing" | "done" | "aborted" | "expired" | "failed";
  /** Read again so far to compute the checksum. */
  verified_bytes: number;
  created_at: string;
  /** All bytes are there; only a confirmation is missing. */
  is_stored: boolean;
  /** The stored ones; empty once they have been put together. */
  parts: StoredPart[];
};

export type UploadRecord = {
  upload_id: number;
  storage_upload_id: string;
  chunk_size: number;
  expires_at: string;
  name: string;
  parent_id?: number | undefined;
  /** The file, once there is one. */
  cog_id?: number | undefined;
  file_size: number;
  mime_type: string;
  /** As declared. */
  checksum_sha256?: string | undefined;
  /** `completing`: a confirmation is under way. `failed`: the checksum was wrong. */
  state: "open" | "completing" | "done" | "aborted" | "expired" | "failed";
  /** Read again so far to compute the checksum. */
  verified_bytes: number;
  created_at: string;
};

export type User = {
  id: number;
  email: string;
  first_name: string;
  last_name: string;
  role: "admin" | "member";
  status: "active" | "disabled";
  /** They were removed; `email` is not theirs any more. */
  removed_at?: string | undefined;
  /** In lists for admins, as far as known: the last sign-in, renewal of a session or use of an API key. */
  last_active_at?: string | undefined;
};

export type UserChanges = {
  role?: "admin" | "member" | undefined;
  status?: "active" | "disabled" | undefined;
  /** Of a disabled user: who takes over what they own. Workflows and triggers follow at once, files and folders within minutes. */
  successor_id?: number | undefined;
};

export type Variable = {
  variable_name: string;
  type: string;
  required: boolean;
  default?: unknown;
  description?: string | undefined;
  enum?: unknown[] | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  pattern?: string | undefined;
};

/** Repeat the confirmation to wait on. */
export type Verifying = {
  state: "verifying";
  verified_bytes: number;
  file_size: number;
};

export type WorkOrder = {
  attempt_id: number;
  lease_token: string;
  run_id: number;
  node_key: string;
  shard_index?: number | undefined;
  image: string;
  registry?: {
    server: string;
    username: string;
    password: string;
  } | undefined;
  /** argv with references yet to be put in. */
  command: string[];
  env: Record<string, string>;
  params: Record<string, unknown>;
  /** Values in params that must not show in logs. */
  secrets: string[];
  variables: Record<string, unknown>;
  file?: {
    name: string;
  } | undefined;
  input_ports: {
    name: string;
    cardinality: "one" | "many" | "optional";
  }[];
  inputs: {
    port: string;
    cardinality: "one" | "many" | "optional";
    name: string;
    size_bytes: number;
    checksum_sha256: string;
    /** Presigned GET. */
    url: string;
  }[];
  /** There are more inputs: ask for them with this as `start`, before the program runs. */
  more_inputs?: string | undefined;
  outputs: {
    name: string;
    glob: string;
    cardinality: "one" | "many" | "optional";
  }[];
  resources: Capacity;
  timeout_seconds: number;
  network: "none" | "egress";
};

export type Worker = {
  id: number;
  name: string;
  scope: "platform" | "tenant";
  status: "online" | "draining" | "offline" | "disabled";
  last_heartbeat_at?: string | undefined;
  labels: string[];
  capacity: Capacity;
  /** What the worker can do besides its size: `egress` gives a container the internet. Left out: everything, as workers of an earlier release. */
  features: "egress"[];
  in_use: {
    cpu?: number | undefined;
    memory_mb?: number | undefined;
    gpu?: number | undefined;
    disk_mb?: number | undefined;
  };
  version: string;
  /** What it does for my organization, by step of a run; the oldest twenty. */
  work: WorkerTask[];
  /** The token that enrolled it. */
  enrollment_token_id?: number | undefined;
  created_at: string;
};

export type WorkerTask = {
  workflow_run_id: number;
  workflow_id: number;
  node_key: string;
  /** How many of this step the worker holds. */
  attempts: number;
  since: string;
};

export type Workflow = {
  id: number;
  name: string;
  description?: string | undefined;
  created_by: number;
  latest_version_id?: number | undefined;
  /** The version of triggers without one of their own, and the one to offer for new runs: the newest of those that are published, whichever was published last. */
  published_version_id?: number | undefined;
  /** How many node runs of all its runs may be leased to workers at the same time. */
  max_running?: number | undefined;
  created_at: string;
  updated_at: string;
};

export type WorkflowRun = {
  id: number;
  workflow_id: number;
  workflow_version_id: number;
  status: "queued" | "running" | "success" | "partial_success" | "failure" | "cancelled";
  error_message?: string | undefined;
  extra_variables: Record<string, unknown>;
  started_by: number;
  trigger_id?: number | undefined;
  test_run: boolean;
  priority: "low" | "normal" | "high";
  on_failure: "continue" | "abort";
  /** The folder that was given for the outputs, which may be gone, or be closed to who reads this. */
  output_parent_id?: number | undefined;
  /** Where the outputs are, once there are any. */
  output_folder_id?: number | undefined;
  /** Why later outputs are in the results folder of who started the run instead of the one given at the start: they may not add to that any more, or it is gone or too deep to take a folder. */
  output_fallback?: "no_right" | "folder_gone" | undefined;
  /** False for a test: its results are removed 24 hours after it has ended. */
  keep_results: boolean;
  /** When the results were removed. Names, sizes and checksums are still told; the `cog_id` of a result that was not moved elsewhere leads to 404. */
  results_removed_at?: string | undefined;
  restarted_from_run_id?: number | undefined;
  superseded_by_run_id?: number | undefined;
  cancel_requested_at?: string | undefined;
  /** The run whose results it took over where they are the same. */
  reuse_from_run_id?: number | undefined;
  /** The node it ends with, where it is only a part of its version. */
  until?: string | undefined;
  /** What it may spend. */
  max_credits?: number | undefined;
  created_at: string;
  started_at?: string | undefined;
  finished_at?: string | undefined;
  /** What a restart with `only` was to run again. */
  restart_only?: ChosenNodeRun[] | undefined;
  /** Whether the version is a draft that was edited since: it does something else than what ran, not counting notes, titles and positions. A restart runs what ran. Absent where a part of a draft ran: then it is not known. */
  is_version_changed?: boolean | undefined;
  /** What it has spent of its `max_credits`; absent without. */
  credits_used?: number | undefined;
  /** The first 1,000 that went in and the first 1,000 that came out; the rest by /files. */
  run_files: RunFile[];
  /** How many there are, where not all of them come with the run. */
  run_files_total?: {
    input: number;
    output: number;
  } | undefined;
  /** The first 1,000; the rest by /node-runs. */
  node_runs: NodeRun[];
};

export type WorkflowRunSummary = {
  id: number;
  workflow_id: number;
  workflow_version_id: number;
  status: "queued" | "running" | "success" | "partial_success" | "failure" | "cancelled";
  error_message?: string | undefined;
  extra_variables: Record<string, unknown>;
  started_by: number;
  trigger_id?: number | undefined;
  test_run: boolean;
  priority: "low" | "normal" | "high";
  on_failure: "continue" | "abort";
  /** The folder that was given for the outputs, which may be gone, or be closed to who reads this. */
  output_parent_id?: number | undefined;
  /** Where the outputs are, once there are any. */
  output_folder_id?: number | undefined;
  /** Why later outputs are in the results folder of who started the run instead of the one given at the start: they may not add to that any more, or it is gone or too deep to take a folder. */
  output_fallback?: "no_right" | "folder_gone" | undefined;
  /** False for a test: its results are removed 24 hours after it has ended. */
  keep_results: boolean;
  /** When the results were removed. Names, sizes and checksums are still told; the `cog_id` of a result that was not moved elsewhere leads to 404. */
  results_removed_at?: string | undefined;
  restarted_from_run_id?: number | undefined;
  superseded_by_run_id?: number | undefined;
  cancel_requested_at?: string | undefined;
  /** The run whose results it took over where they are the same. */
  reuse_from_run_id?: number | undefined;
  /** The node it ends with, where it is only a part of its version. */
  until?: string | undefined;
  /** What it may spend. */
  max_credits?: number | undefined;
  created_at: string;
  started_at?: string | undefined;
  finished_at?: string | undefined;
};

export type WorkflowTemplate = {
  id: number;
  name: string;
  description: string;
  category: string;
  /** For all, or for one organization. */
  scope: "platform" | "tenant";
  /** It comes with the release, and is not deleted. */
  is_shipped: boolean;
  /** To try it on; of templates of the release only. */
  samples?: TemplateSample[] | undefined;
  node_count: number;
  created_by?: number | undefined;
  created_at: string;
  graph: Graph;
  requirements: TemplateRequirement[];
};

/** A template without its graph, which may be megabytes. */
export type WorkflowTemplateSummary = {
  id: number;
  name: string;
  description: string;
  category: string;
  /** For all, or for one organization. */
  scope: "platform" | "tenant";
  /** It comes with the release, and is not deleted. */
  is_shipped: boolean;
  /** To try it on; of templates of the release only. */
  samples?: TemplateSample[] | undefined;
  node_count: number;
  created_by?: number | undefined;
  created_at: string;
  shape?: GraphShape | undefined;
};

export type WorkflowVersion = {
  id: number;
  workflow_id: number;
  version_number: number;
  state: "draft" | "published" | "archived";
  /** SHA-256 of the whole graph as canonical JSON (RFC 8785), in hex. */
  graph_hash: string;
  /** The same of what the graph does: without `notes`, and without `title` and `position` of its nodes. Versions with the same one differ in their drawing at most. */
  logic_hash: string;
  node_count: number;
  input_count: number;
  created_by: number;
  created_at: string;
  published_at?: string | undefined;
  graph: Graph;
  variables: Variable[];
};

/** A version without its graph and variables, which may be megabytes. */
export type WorkflowVersionSummary = {
  id: number;
  workflow_id: number;
  version_number: number;
  state: "draft" | "published" | "archived";
  /** SHA-256 of the whole graph as canonical JSON (RFC 8785), in hex. */
  graph_hash: string;
  /** The same of what the graph does: without `notes`, and without `title` and `position` of its nodes. Versions with the same one differ in their drawing at most. */
  logic_hash: string;
  node_count: number;
  input_count: number;
  created_by: number;
  created_at: string;
  published_at?: string | undefined;
};

export type Operations = {
  /**
   * Abort an upload and remove its parts
   *
   * DELETE /cogs/uploads/{upload_id}
   */
  abortUpload: {
    args: {
      path: {
        upload_id: number;
      };
    };
    answer: undefined;
  };
  /**
   * Abort many uploads and remove their parts
   *
   * Those that have ended, or are not the caller's, are left as they are.
   *
   * POST /cogs/uploads/abort
   */
  abortUploads: {
    args: {
      body: {
        upload_ids: number[];
      };
    };
    answer: undefined;
  };
  /**
   * Become a user of the tenant that invited me
   *
   * At the embedded identity provider, with a password of my choice; then I sign in with it. 410 if the invitation has ended; 403 `other_address` if somebody else is signed in, 409 `email_taken` if the address has an account elsewhere, and the invitation stays as it is.
   *
   * POST /invitations/accept
   */
  acceptInvitation: {
    args: {
      body: Acceptance;
    };
    answer: User;
  };
  /**
   * Take work, waiting for some
   *
   * At most four at once per worker, else 429 `too_many_at_once`, which comes after one to four seconds.
   *
   * POST /workers/{id}/acquire
   */
  acquireWork: {
    args: {
      path: {
        id: number;
      };
      query?: {
        /** `pages`: an order may name only the first of its inputs, and `more_inputs` says so. Left out: all are in the order, as workers of an earlier release expect. */
        inputs?: "whole" | "pages" | undefined;
      };
      body: {
        free: Capacity;
        max: number;
        wait_seconds?: number | undefined;
      };
    };
    answer: WorkOrder[] | undefined;
  };
  /**
   * Add credits to the period under way of a tenant (platform admins)
   *
   * Once: the next period begins with the limit alone. Work that waits for credits starts at once. Of a limit that was lowered below what is used, that is made up for first. 409 `no_credits_limit` if the tenant has no limit. Send an `Idempotency-Key`, so that a repeated request adds nothing. It is in the audit trail of that tenant, too.
   *
   * POST /platform/tenants/{id}/credits
   */
  addTenantCredits: {
    args: {
      path: {
        id: number;
      };
      body: AddedCredits;
    };
    answer: Tenant;
  };
  /**
   * A piece of the container's output
   *
   * POST /workers/{id}/attempts/{attempt_id}/logs
   */
  appendLog: {
    args: {
      path: {
        id: number;
        attempt_id: number;
      };
      body: {
        /** Fences the attempt. */
        lease_token: string;
        /** Bytes sent before. */
        start_offset: number;
        /** base64 */
        data: string;
      };
    };
    answer: undefined;
  };
  /**
   * Archive a version; it starts no more runs
   *
   * POST /workflows/workflow-versions/{version_id}/archive
   */
  archiveWorkflowVersion: {
    args: {
      path: {
        version_id: number;
      };
    };
    answer: WorkflowVersion;
  };
  /**
   * Stop a run
   *
   * What waits ends at once; a running container gets SIGTERM, ten seconds, SIGKILL.
   *
   * POST /workflows/workflow-runs/{run_id}/cancel
   */
  cancelRun: {
    args: {
      path: {
        run_id: number;
      };
      body?: {
        reason?: string | undefined;
      } | null;
    };
    answer: WorkflowRun;
  };
  /**
   * Rename or move a cog
   *
   * PATCH /cogs/{id}
   */
  changeCog: {
    args: {
      path: {
        id: number;
      };
      body: {
        /** One to 255 bytes of UTF-8 without "/" and control characters; stored as NFC. */
        name?: string | undefined;
        parent_id?: number | undefined;
      };
    };
    answer: Cog;
  };
  /**
   * Change my names
   *
   * PATCH /me
   */
  changeMe: {
    args: {
      body: {
        first_name?: string | undefined;
        last_name?: string | undefined;
      };
    };
    answer: Me;
  };
  /**
   * Change a notice, or turn it on or off
   *
   * By who made it, and admins. What waits goes to a changed URL; turned on again, a notice continues with what waits.
   *
   * PATCH /workflows/notices/{id}
   */
  changeNotice: {
    args: {
      path: {
        id: number;
      };
      body: NoticeChanges;
    };
    answer: Notice;
  };
  /**
   * Rename my organization (tenant admins)
   *
   * PATCH /organization
   */
  changeOrganization: {
    args: {
      body: OrganizationChanges;
    };
    answer: Organization;
  };
  /**
   * Change my password
   *
   * Ends all other sessions of mine and their refresh tokens.
   *
   * POST /auth/change-password
   */
  changePassword: {
    args: {
      body: PasswordChange;
    };
    answer: undefined;
  };
  /**
   * Change a grant
   *
   * PATCH /permissions/{permission_id}
   */
  changePermission: {
    args: {
      path: {
        permission_id: number;
      };
      body: {
        level?: "viewer" | "editor" | "owner" | undefined;
        expires_at?: string | null | undefined;
        can_upload?: boolean | null | undefined;
        can_share?: boolean | null | undefined;
        can_delete?: boolean | null | undefined;
      };
    };
    answer: Permission;
  };
  /**
   * Replace a secret's value
   *
   * PUT /secrets/{id}
   */
  changeSecret: {
    args: {
      path: {
        id: number;
      };
      body: {
        /** A string for kind `generic`, credentials for kind `registry`. Never readable again. */
        value: string | RegistryCredentials;
      };
    };
    answer: Secret;
  };
  /**
   * Rename a tenant, and change its limits (platform admins)
   *
   * A limit below what is used removes nothing; only more is refused then. The change is in the audit trail of that tenant, too.
   *
   * PATCH /platform/tenants/{id}
   */
  changeTenant: {
    args: {
      path: {
        id: number;
      };
      body: TenantChanges;
    };
    answer: Tenant;
  };
  /**
   * Change a trigger, or turn it on or off
   *
   * By the user it runs as and admins. An admin, or who made it, takes it over by naming themselves as `run_as_user_id`; who made it can always turn it off. A changed schedule counts from now.
   *
   * PATCH /workflows/triggers/{id}
   */
  changeTrigger: {
    args: {
      path: {
        id: number;
      };
      body: TriggerChanges;
    };
    answer: Trigger;
  };
  /**
   * Change the role of a user, or disable one (tenant admins)
   *
   * A disabled user is signed out at once; tokens and API keys stop working, and uploads under way end; so do open invitations of one who is no admin any more. Enabling one takes a seat: without one left, 403 `quota_exceeded`. The last active admin stays: 409 `last_admin`.
   *
   * PATCH /users/{id}
   */
  changeUser: {
    args: {
      path: {
        id: number;
      };
      body: UserChanges;
    };
    answer: User;
  };
  /**
   * Rename or label a worker
   *
   * PATCH /workers/{id}
   */
  changeWorker: {
    args: {
      path: {
        id: number;
      };
      body: {
        name?: string | undefined;
        labels?: string[] | undefined;
      };
    };
    answer: Worker;
  };
  /**
   * Rename, describe or limit a workflow
   *
   * A changed `max_running` applies at once. What runs already goes on, even if it is more.
   *
   * PATCH /workflows/{id}
   */
  changeWorkflow: {
    args: {
      path: {
        id: number;
      };
      body: {
        name?: string | undefined;
        description?: string | undefined;
        /** How many node runs of all its runs may be leased to workers at the same time. Null: no limit. */
        max_running?: number | null | undefined;
      };
    };
    answer: Workflow;
  };
  /**
   * Replace a draft's graph
   *
   * `If-Match` is required: 428 without it or with `*`, 412 when the draft has changed since.
   *
   * PATCH /workflows/workflow-versions/{version_id}
   */
  changeWorkflowVersion: {
    args: {
      path: {
        version_id: number;
      };
      body: {
        graph: Graph;
      };
    };
    answer: WorkflowVersion;
  };
  /**
   * How the attempt ended
   *
   * Counts only while the lease is held: 409 `lease_lost` otherwise, and nothing changes.
   *
   * POST /workers/{id}/attempts/{attempt_id}/complete
   */
  completeAttempt: {
    args: {
      path: {
        id: number;
        attempt_id: number;
      };
      body: Completion;
    };
    answer: undefined;
  };
  /**
   * Make the file of an upload whose parts are stored
   *
   * Repeating it answers the same file. 202 while the bytes are read for the checksum: repeat it. After 409 `parts_mismatch` or `name_collision` it can be repeated, with the parts sent again or with another `name`. For a new version, `If-Match` as for a new content.
   *
   * POST /cogs/confirm-upload
   */
  confirmUpload: {
    args: {
      body: FormData;
    };
    answer: Cog | Verifying;
  };
  /**
   * Make the files of many uploads
   *
   * As many confirmations, each with a result of its own.
   *
   * POST /cogs/confirm-uploads
   */
  confirmUploads: {
    args: {
      body: {
        uploads: OneConfirmation[];
      };
    };
    answer: ConfirmedUploads;
  };
  /**
   * Copy a file, or a folder with all in it
   *
   * Without copying bytes; the caller owns the copy. Current contents only, neither grants nor earlier versions, and of a folder what the caller may see. At most 100,000 files and folders (409 `too_many_items`); 409 `cycle` into the folder itself or into one inside it.
   *
   * POST /cogs/{id}/copy
   */
  copyCog: {
    args: {
      path: {
        id: number;
      };
      body: {
        /** The folder to copy it into. */
        parent_id: number;
        /** Its own unless given. */
        name?: string | undefined;
      };
    };
    answer: Cog;
  };
  /**
   * Copy many cogs into one folder
   *
   * Each as if it were copied alone, without copying bytes; of several with one name the first gets it. At most 100,000 files and folders in a request: the first ones that fit are copied, the others get 409 `too_many_items`.
   *
   * POST /cogs/copy
   */
  copyCogs: {
    args: {
      body: {
        /** An id that comes twice has its outcome twice. */
        cog_ids: number[];
        /** The folder the copies go into. */
        parent_id: number;
        /** What becomes of those whose name is taken: an error, or a number after it, `a (2).txt`. An error unless given. */
        existing?: "refuse" | "number" | undefined;
      };
    };
    answer: CopiedCogs;
  };
  /**
   * Create an API key; the answer is the only one that holds it
   *
   * POST /api-keys/
   */
  createApiKey: {
    args: {
      body: ApiKeyRequest;
    };
    answer: NewApiKey;
  };
  /**
   * Make a URL that downloads a file, or a folder as a ZIP, without credentials
   *
   * It gives what its maker may see at the time of use, until it expires, is revoked, or its maker is disabled. The answer is the only one that holds it.
   *
   * POST /cogs/{id}/download-url
   */
  createDownloadUrl: {
    args: {
      path: {
        id: number;
      };
      body: DownloadUrlRequest;
    };
    answer: NewDownloadUrl;
  };
  /**
   * Make a token that enrols one worker
   *
   * POST /workers/enrollment-tokens
   */
  createEnrollmentToken: {
    args: {
      body: {
        scope?: "tenant" | "platform" | undefined;
        expires_in?: number | undefined;
      };
    };
    answer: EnrollmentToken;
  };
  /**
   * Make a folder
   *
   * POST /cogs/
   */
  createFolder: {
    args: {
      body: {
        /** One to 255 bytes of UTF-8 without "/" and control characters; stored as NFC. */
        name: string;
        cog_type: "asset_folder";
        /** The root unless given. */
        parent_id?: number | undefined;
      };
    };
    answer: Cog;
  };
  /**
   * Invite somebody into my tenant (tenant admins)
   *
   * The link is good for 7 days and one use; hand it over yourself where no mail is sent. A newer invitation of the same address replaces it. An open invitation takes a seat: without one left, 403 `quota_exceeded`.
   *
   * POST /invitations/
   */
  createInvitation: {
    args: {
      body: InvitationRequest;
    };
    answer: NewInvitation;
  };
  /**
   * Call a URL when runs end, or send me a mail
   *
   * A message is posted for each run that ends so from now on, signed as Standard Webhooks, and tried again for three days if need be. With `by_mail` it is a mail to my address instead, where the installation can send some (409 `mail_not_set_up`; `gets_mail` of `GET /me` tells). 409 `too_many_notices`: a tenant has a hundred at most.
   *
   * POST /workflows/notices/
   */
  createNotice: {
    args: {
      body: NewNotice;
    };
    answer: CreatedNotice;
  };
  /**
   * Fresh URLs for some parts of an upload
   *
   * POST /cogs/uploads/{upload_id}/parts
   */
  createPartUrls: {
    args: {
      path: {
        upload_id: number;
      };
      body: {
        part_numbers: number[];
      };
    };
    answer: PartUrls;
  };
  /**
   * Store a secret
   *
   * For tenant admins. The value is sealed and can never be read again.
   *
   * POST /secrets/
   */
  createSecret: {
    args: {
      body: NewSecret;
    };
    answer: Secret;
  };
  /**
   * Make a URL that downloads several files and folders as one ZIP
   *
   * Like that of a single one. What its maker may not see at the time of use is left out and counted.
   *
   * POST /cogs/download-url
   */
  createSelectionUrl: {
    args: {
      body: SelectionUrlRequest;
    };
    answer: NewDownloadUrl;
  };
  /**
   * Make a tenant with its first admin (platform admins)
   *
   * The admin signs in with the password of the answer, and then chooses another; at an external identity provider, by the verified address.
   *
   * POST /platform/tenants/
   */
  createTenant: {
    args: {
      body: NewTenantRequest;
    };
    answer: NewTenant;
  };
  /**
   * Start a workflow by itself
   *
   * At the times of a schedule, for messages to a webhook (whose `url` and `secret` are for its sender), or when files come to a folder. Its runs have the rights that the caller has when they start. 409 `not_published` for a workflow without a published version.
   *
   * POST /workflows/triggers/
   */
  createTrigger: {
    args: {
      body: NewTrigger;
    };
    answer: CreatedTrigger;
  };
  /**
   * Create a workflow
   *
   * With a graph, version 1 is made of it. An invalid graph is kept as a draft.
   *
   * POST /workflows/
   */
  createWorkflow: {
    args: {
      body: NewWorkflow;
    };
    answer: Workflow;
  };
  /**
   * Keep a graph as a template
   *
   * Of a graph, or of a version of a workflow; one that could be published.
   *
   * POST /workflow-templates/
   */
  createWorkflowTemplate: {
    args: {
      body: NewWorkflowTemplate;
    };
    answer: WorkflowTemplate;
  };
  /**
   * Add a draft version
   *
   * The `ETag` of the answer is what `If-Match` takes when it is changed.
   *
   * POST /workflows/{id}/versions
   */
  createWorkflowVersion: {
    args: {
      path: {
        id: number;
      };
      body: {
        graph?: Graph | undefined;
      };
    };
    answer: WorkflowVersion;
  };
  /**
   * Revoke an API key and the tokens it was exchanged for
   *
   * DELETE /api-keys/{id}
   */
  deleteApiKey: {
    args: {
      path: {
        id: number;
      };
    };
    answer: undefined;
  };
  /**
   * Delete a cog with all in it, and its permissions
   *
   * Into the trash. With `permanent=true` its owner or an admin removes a cog that is in the trash for ever; 409 `not_in_trash` if it is not there.
   *
   * DELETE /cogs/{id}
   */
  deleteCog: {
    args: {
      path: {
        id: number;
      };
      query?: {
        permanent?: boolean | undefined;
      };
    };
    answer: undefined;
  };
  /**
   * Delete many cogs with all in them
   *
   * Into the trash, each for itself: what is in another one of them is restored after that.
   *
   * POST /cogs/delete
   */
  deleteCogs: {
    args: {
      body: {
        /** An id that comes twice has its outcome twice. */
        cog_ids: number[];
      };
    };
    answer: RemovedCogs;
  };
  /**
   * Remove an earlier content for ever
   *
   * DELETE /cogs/{id}/versions/{version}
   */
  deleteFileVersion: {
    args: {
      path: {
        id: number;
        version: number;
      };
    };
    answer: undefined;
  };
  /**
   * Delete a notice with all its deliveries
   *
   * DELETE /workflows/notices/{id}
   */
  deleteNotice: {
    args: {
      path: {
        id: number;
      };
    };
    answer: undefined;
  };
  /**
   * Delete a run that has ended
   *
   * Files made of its results stay, but for results that are not kept; what its nodes passed on to each other is removed.
   *
   * DELETE /workflows/workflow-runs/{run_id}
   */
  deleteRun: {
    args: {
      path: {
        run_id: number;
      };
    };
    answer: undefined;
  };
  /**
   * Delete a secret
   *
   * DELETE /secrets/{id}
   */
  deleteSecret: {
    args: {
      path: {
        id: number;
      };
    };
    answer: undefined;
  };
  /**
   * Delete a trigger with its firings; its runs stay
   *
   * DELETE /workflows/triggers/{id}
   */
  deleteTrigger: {
    args: {
      path: {
        id: number;
      };
    };
    answer: undefined;
  };
  /**
   * Remove a worker
   *
   * DELETE /workers/{id}
   */
  deleteWorker: {
    args: {
      path: {
        id: number;
      };
    };
    answer: undefined;
  };
  /**
   * Delete a workflow
   *
   * Its runs and their outputs stay.
   *
   * DELETE /workflows/{id}
   */
  deleteWorkflow: {
    args: {
      path: {
        id: number;
      };
    };
    answer: undefined;
  };
  /**
   * Delete a template; workflows that were made of it stay
   *
   * DELETE /workflow-templates/{id}
   */
  deleteWorkflowTemplate: {
    args: {
      path: {
        id: number;
      };
    };
    answer: undefined;
  };
  /**
   * What a download URL gives: a file, or a ZIP
   *
   * Like a download, with the rights that its maker has now.
   *
   * GET /d/{token}
   */
  downloadByUrl: {
    args: {
      path: {
        token: string;
      };
    };
    answer: Response;
  };
  /**
   * A file's bytes, or a folder as a ZIP, whole or a range of them
   *
   * A ZIP stores its members without compression, in the order of their paths. What the caller may not see is left out, and its number is in `_omitted.txt`. Names that differ only in case get numbers.
   *
   * GET /cogs/{id}/download
   */
  downloadCog: {
    args: {
      path: {
        id: number;
      };
      query?: {
        /** Of a file; the current one unless given. */
        version?: number | undefined;
        /** To be shown instead of saved: raster images, audio, video, PDF and plain text. */
        inline?: boolean | undefined;
      };
    };
    answer: Response;
  };
  /**
   * Let a worker finish what it has and take nothing new
   *
   * POST /workers/{id}/drain
   */
  drainWorker: {
    args: {
      path: {
        id: number;
      };
    };
    answer: Worker;
  };
  /**
   * Remove all in the trash for ever
   *
   * What the caller owns; for admins what anybody deleted.
   *
   * DELETE /cogs/trash
   */
  emptyTrash: {
    args: Record<never, never>;
    answer: undefined;
  };
  /**
   * Sign me out everywhere else
   *
   * At once, with all their access and refresh tokens. API keys stay, and so does the session of this request.
   *
   * DELETE /me/sessions
   */
  endOtherSessions: {
    args: Record<never, never>;
    answer: undefined;
  };
  /**
   * Sign me out there
   *
   * At once, with its access and refresh tokens.
   *
   * DELETE /me/sessions/{id}
   */
  endSession: {
    args: {
      path: {
        id: number;
      };
    };
    answer: undefined;
  };
  /**
   * Enrol a worker
   *
   * With an enrolment token, or as an admin with a Bearer token. Answers the worker's own token, once.
   *
   * POST /workers
   */
  enrollWorker: {
    args: {
      body: NewWorker;
    };
    answer: EnrolledWorker;
  };
  /**
   * Exchange an API key for an access token
   *
   * The token dies with the key. When it expires, exchange again.
   *
   * POST /api-keys/token
   */
  exchangeApiKey: {
    args: {
      body: ApiKeyTokenRequest;
    };
    answer: AccessToken;
  };
  /**
   * Report what has ended, and take work, in one call
   *
   * Each report has a result of its own; one that is refused changes nothing for the others. What the reports make ready may come back as orders at once. With `wait_seconds` and no reports it waits as acquire does.
   *
   * POST /workers/{id}/exchange
   */
  exchangeWork: {
    args: {
      path: {
        id: number;
      };
      query?: {
        /** `pages`: an order may name only the first of its inputs, and `more_inputs` says so. Left out: all are in the order, as workers of an earlier release expect. */
        inputs?: "whole" | "pages" | undefined;
      };
      body: Exchange;
    };
    answer: Exchanged;
  };
  /**
   * What a user may do to a cog, and by which grant
   *
   * GET /permissions/cogs/{id}/effective
   */
  explainAccess: {
    args: {
      path: {
        id: number;
      };
      query?: {
        /** The caller unless given. */
        user_id?: number | undefined;
      };
    };
    answer: EffectiveAccess;
  };
  /**
   * Start its run now
   *
   * As the user it runs as, whatever runs already, also when it is turned off.
   *
   * POST /workflows/triggers/{id}/fire
   */
  fireTrigger: {
    args: {
      path: {
        id: number;
      };
    };
    answer: {
      workflow_run_id: number;
    };
  };
  /**
   * The seal of the last block of events (tenant admins)
   *
   * Kept elsewhere, it proves later that no block before it was replaced, and none removed: give it to `/audit-events/verify`.
   *
   * GET /audit-events/head
   */
  getAuditHead: {
    args: Record<never, never>;
    answer: AuditHead;
  };
  /**
   * One file or folder
   *
   * GET /cogs/{id}
   */
  getCog: {
    args: {
      path: {
        id: number;
      };
    };
    answer: Cog;
  };
  /**
   * The folders from the root to a cog, and the cog itself
   *
   * GET /cogs/{id}/path
   */
  getCogPath: {
    args: {
      path: {
        id: number;
      };
    };
    answer: Cog[];
  };
  /**
   * Analytics: credits, and by workflow
   *
   * For administrators, of their organization; for platform administrators of one or all. Exact at any moment, what is under way left out; stored bytes up to ten seconds late. Whole periods: `from` and `to` of the answer say which. CSV has a column for each series.
   *
   * GET /platform/analytics/credits
   */
  getCreditsReport: {
    args: {
      query?: {
        /** 30 days ago, unless given. */
        from?: string | undefined;
        /** Now, unless given. */
        to?: string | undefined;
        bucket?: "hour" | "day" | "week" | "month" | undefined;
        /** Whose hours and days they are, for example Europe/Berlin. */
        tz?: string | undefined;
        /** One tenant, for platform administrators; otherwise all. */
        tenant_id?: number | undefined;
        /** `Accept: text/csv` says the same. */
        format?: "json" | "csv" | undefined;
      };
    };
    answer: Report;
  };
  /**
   * One delivery, with its body
   *
   * GET /workflows/triggers/{id}/deliveries/{delivery_id}
   */
  getDelivery: {
    args: {
      path: {
        id: number;
        delivery_id: number;
      };
    };
    answer: DeliveryWithBody;
  };
  /**
   * Whether the process is up
   *
   * GET /healthz
   */
  getHealth: {
    args: Record<never, never>;
    answer: {
      status: "ok";
    };
  };
  /**
   * Who I am
   *
   * GET /me
   */
  getMe: {
    args: Record<never, never>;
    answer: Me;
  };
  /**
   * One node: its inputs, outputs and params
   *
   * GET /node_definitions/{id}
   */
  getNodeDefinition: {
    args: {
      path: {
        id: number;
      };
    };
    answer: NodeDefinition;
  };
  /**
   * What the container wrote; 410 once that was removed
   *
   * Of the newest attempt, as far as it is written. `offset` and `limit` choose a part of it. Also a single `Range` is answered, by 206 with `Content-Range`: `bytes=-65536` is the end of a log. What is written never changes, so an `ETag` stays good for `If-None-Match` until more is written.
   *
   * GET /workflows/workflow-runs/{run_id}/node-runs/{node_run_id}/logs
   */
  getNodeRunLog: {
    args: {
      path: {
        run_id: number;
        node_run_id: number;
      };
      query?: {
        /** Bytes to leave out. */
        offset?: number | undefined;
        /** At most so many bytes. */
        limit?: number | undefined;
      };
    };
    answer: Response;
  };
  /**
   * Analytics: containers by node definition
   *
   * For administrators, of their organization; for platform administrators of one or all. Exact at any moment, what is under way left out; stored bytes up to ten seconds late. Whole periods: `from` and `to` of the answer say which. CSV has a column for each series.
   *
   * GET /platform/analytics/nodes
   */
  getNodesReport: {
    args: {
      query?: {
        /** 30 days ago, unless given. */
        from?: string | undefined;
        /** Now, unless given. */
        to?: string | undefined;
        bucket?: "hour" | "day" | "week" | "month" | undefined;
        /** Whose hours and days they are, for example Europe/Berlin. */
        tz?: string | undefined;
        /** One tenant, for platform administrators; otherwise all. */
        tenant_id?: number | undefined;
        /** `Accept: text/csv` says the same. */
        format?: "json" | "csv" | undefined;
      };
    };
    answer: Report;
  };
  /**
   * One notice
   *
   * GET /workflows/notices/{id}
   */
  getNotice: {
    args: {
      path: {
        id: number;
      };
    };
    answer: Notice;
  };
  /**
   * My organization
   *
   * GET /organization
   */
  getOrganization: {
    args: Record<never, never>;
    answer: Organization;
  };
  /**
   * Analytics: the most important numbers
   *
   * For administrators, of their organization; for platform administrators of one or all. Exact at any moment, what is under way left out; stored bytes up to ten seconds late. Whole periods: `from` and `to` of the answer say which. CSV has a column for each series.
   *
   * GET /platform/analytics/overview
   */
  getOverviewReport: {
    args: {
      query?: {
        /** 30 days ago, unless given. */
        from?: string | undefined;
        /** Now, unless given. */
        to?: string | undefined;
        bucket?: "hour" | "day" | "week" | "month" | undefined;
        /** Whose hours and days they are, for example Europe/Berlin. */
        tz?: string | undefined;
        /** One tenant, for platform administrators; otherwise all. */
        tenant_id?: number | undefined;
        /** `Accept: text/csv` says the same. */
        format?: "json" | "csv" | undefined;
      };
    };
    answer: Report;
  };
  /**
   * How a file was made, and what was made from it
   *
   * The run that made it, with all that is needed to make it again, and the first rows of the lists of its inputs and of the runs that it went into. Files that the caller may not see are counted, not named. 400 for a folder.
   *
   * GET /cogs/{id}/provenance
   */
  getProvenance: {
    args: {
      path: {
        id: number;
      };
      query?: {
        /** The content whose origin is asked for; the current one unless given. */
        version?: number | undefined;
      };
    };
    answer: Provenance;
  };
  /**
   * Whether database and storage answer
   *
   * GET /readyz
   */
  getReadiness: {
    args: Record<never, never>;
    answer: {
      status: "ok";
    };
  };
  /**
   * The tenant's root folder, My Files
   *
   * GET /cogs/root
   */
  getRootCog: {
    args: Record<never, never>;
    answer: Cog;
  };
  /**
   * One run
   *
   * GET /workflows/workflow-runs/{run_id}
   */
  getRun: {
    args: {
      path: {
        run_id: number;
      };
    };
    answer: WorkflowRun;
  };
  /**
   * Files × nodes of a run, a letter for each node run
   *
   * A row for each input file, then for each file of an output that nodes are mapped over. `p` pending, `q` queued, `r` running, `s` success, `u` success taken over from an earlier run, `f` failure, `c` cancelled, `n` skipped by a condition (not needed), `b` skipped because of what happened before or elsewhere (blocked), `-` no node run. The node run of a cell: `/node-runs?node_key=&shard_index=`. An answer takes at most 256 KB, but with very many nodes; so a page may hold fewer rows than `limit`, with a filter even none, and still have a `Link` to go on.
   *
   * GET /workflows/workflow-runs/{run_id}/grid
   */
  getRunGrid: {
    args: {
      path: {
        run_id: number;
      };
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Rows with at least one node run of this status; those of nodes that run once do not count. */
        status?: "pending" | "queued" | "running" | "success" | "failure" | "cancelled" | "skipped" | undefined;
        /** Rows with this text in their file's name, in any case. */
        q?: string | undefined;
      };
    };
    answer: RunGrid;
  };
  /**
   * How far a run is
   *
   * GET /workflows/workflow-runs/{run_id}/progress
   */
  getRunProgress: {
    args: {
      path: {
        run_id: number;
      };
    };
    answer: Progress;
  };
  /**
   * Analytics: runs by their outcome, and how long they took
   *
   * For administrators, of their organization; for platform administrators of one or all. Exact at any moment, what is under way left out; stored bytes up to ten seconds late. Whole periods: `from` and `to` of the answer say which. CSV has a column for each series.
   *
   * GET /platform/analytics/runs
   */
  getRunsReport: {
    args: {
      query?: {
        /** 30 days ago, unless given. */
        from?: string | undefined;
        /** Now, unless given. */
        to?: string | undefined;
        bucket?: "hour" | "day" | "week" | "month" | undefined;
        /** Whose hours and days they are, for example Europe/Berlin. */
        tz?: string | undefined;
        /** One tenant, for platform administrators; otherwise all. */
        tenant_id?: number | undefined;
        /** `Accept: text/csv` says the same. */
        format?: "json" | "csv" | undefined;
      };
    };
    answer: Report;
  };
  /**
   * One secret, without its value, and the workflows that need it
   *
   * GET /secrets/{id}
   */
  getSecret: {
    args: {
      path: {
        id: number;
      };
    };
    answer: SecretWithUse;
  };
  /**
   * Where and how to sign people in
   *
   * GET /auth/config
   */
  getSignInConfig: {
    args: Record<never, never>;
    answer: SignInConfig;
  };
  /**
   * Analytics: what is stored
   *
   * For administrators, of their organization; for platform administrators of one or all. Exact at any moment, what is under way left out; stored bytes up to ten seconds late. Whole periods: `from` and `to` of the answer say which. CSV has a column for each series.
   *
   * GET /platform/analytics/storage
   */
  getStorageReport: {
    args: {
      query?: {
        /** 30 days ago, unless given. */
        from?: string | undefined;
        /** Now, unless given. */
        to?: string | undefined;
        bucket?: "hour" | "day" | "week" | "month" | undefined;
        /** Whose hours and days they are, for example Europe/Berlin. */
        tz?: string | undefined;
        /** One tenant, for platform administrators; otherwise all. */
        tenant_id?: number | undefined;
        /** `Accept: text/csv` says the same. */
        format?: "json" | "csv" | undefined;
      };
    };
    answer: Report;
  };
  /**
   * What my organization uses, and may use
   *
   * GET /subscriptions
   */
  getSubscription: {
    args: Record<never, never>;
    answer: Subscription;
  };
  /**
   * The bytes of a file to try a template on
   *
   * Its names and types are the `samples` of the template.
   *
   * GET /workflow-templates/{id}/samples/{name}
   */
  getTemplateSample: {
    args: {
      path: {
        id: number;
        name: string;
      };
    };
    answer: Response;
  };
  /**
   * A tenant, with what it uses and may use (platform admins)
   *
   * GET /platform/tenants/{id}
   */
  getTenant: {
    args: {
      path: {
        id: number;
      };
    };
    answer: Tenant;
  };
  /**
   * One trigger
   *
   * GET /workflows/triggers/{id}
   */
  getTrigger: {
    args: {
      path: {
        id: number;
      };
    };
    answer: Trigger;
  };
  /**
   * An upload, and what is stored of it
   *
   * GET /cogs/uploads/{upload_id}
   */
  getUpload: {
    args: {
      path: {
        upload_id: number;
      };
    };
    answer: UploadDetails;
  };
  /**
   * Analytics: who is active
   *
   * For administrators, of their organization; for platform administrators of one or all. Exact at any moment, what is under way left out; stored bytes up to ten seconds late. Whole periods: `from` and `to` of the answer say which. CSV has a column for each series.
   *
   * GET /platform/analytics/users
   */
  getUsersReport: {
    args: {
      query?: {
        /** 30 days ago, unless given. */
        from?: string | undefined;
        /** Now, unless given. */
        to?: string | undefined;
        bucket?: "hour" | "day" | "week" | "month" | undefined;
        /** Whose hours and days they are, for example Europe/Berlin. */
        tz?: string | undefined;
        /** One tenant, for platform administrators; otherwise all. */
        tenant_id?: number | undefined;
        /** `Accept: text/csv` says the same. */
        format?: "json" | "csv" | undefined;
      };
    };
    answer: Report;
  };
  /**
   * One worker
   *
   * GET /workers/{id}
   */
  getWorker: {
    args: {
      path: {
        id: number;
      };
    };
    answer: Worker;
  };
  /**
   * Analytics: containers by worker
   *
   * For administrators, of their organization; for platform administrators of one or all. Exact at any moment, what is under way left out; stored bytes up to ten seconds late. Whole periods: `from` and `to` of the answer say which. CSV has a column for each series.
   *
   * GET /platform/analytics/workers
   */
  getWorkersReport: {
    args: {
      query?: {
        /** 30 days ago, unless given. */
        from?: string | undefined;
        /** Now, unless given. */
        to?: string | undefined;
        bucket?: "hour" | "day" | "week" | "month" | undefined;
        /** Whose hours and days they are, for example Europe/Berlin. */
        tz?: string | undefined;
        /** One tenant, for platform administrators; otherwise all. */
        tenant_id?: number | undefined;
        /** `Accept: text/csv` says the same. */
        format?: "json" | "csv" | undefined;
      };
    };
    answer: Report;
  };
  /**
   * One workflow
   *
   * GET /workflows/{id}
   */
  getWorkflow: {
    args: {
      path: {
        id: number;
      };
    };
    answer: Workflow;
  };
  /**
   * One template, with what it needs
   *
   * `requirements` says what is met and what is missing, in words.
   *
   * GET /workflow-templates/{id}
   */
  getWorkflowTemplate: {
    args: {
      path: {
        id: number;
      };
    };
    answer: WorkflowTemplate;
  };
  /**
   * One version with its graph
   *
   * The `ETag` is what `If-Match` takes when a draft is changed.
   *
   * GET /workflows/workflow-versions/{version_id}
   */
  getWorkflowVersion: {
    args: {
      path: {
        version_id: number;
      };
    };
    answer: WorkflowVersion;
  };
  /**
   * Begin the upload of a large file
   *
   * Send each part by a PUT to its URL, keep the `ETag` of each answer, and confirm the upload. It expires after 7 days. At most 10,000 of a user are open at a time (409 `too_many_uploads`).
   *
   * POST /cogs/uploads/initiate
   */
  initiateUpload: {
    args: {
      body: {
        /** One to 255 bytes of UTF-8 without "/" and control characters; stored as NFC. */
        name?: string | undefined;
        /** The root unless given. */
        parent_id?: number | undefined;
        /** Instead of `name` and `parent_id`: the file that gets a new version. */
        cog_id?: number | undefined;
        file_size: number;
        mime_type?: string | undefined;
        /** Of every part but the last. 67108864 unless given; raised so that there are at most 10000 parts. */
        chunk_size?: number | undefined;
        /** Hexadecimal. The file is made only if its bytes have this checksum. */
        checksum_sha256?: string | undefined;
      };
    };
    answer: BegunUpload;
  };
  /**
   * Begin the uploads of many files
   *
   * Missing folders of their paths are made; a request has at most 5,000 folders (`too_many_folders`). A file that may not be has an error of its own; the others are not affected. With `existing: version` a file whose name is taken by another file becomes a new version of that when it is confirmed; with `existing: changed` one whose content is there already needs no upload. Where an upload comes without the URLs of its parts, ask for them.
   *
   * POST /cogs/uploads/batch
   */
  initiateUploads: {
    args: {
      body: {
        /** The root unless given. */
        parent_id?: number | undefined;
        /** Of every part but the last. 67108864 unless given; raised so that there are at most 10000 parts. */
        chunk_size?: number | undefined;
        /** What becomes of files whose name is taken by a file: an error, a new version of it, or a new version only where the size or the `checksum_sha256` differs. An error unless given; always if a folder has the name. */
        existing?: "refuse" | "version" | "changed" | undefined;
        files: {
          /** The name, after the folders it is in below `parent_id`, separated by "/". */
          path: string;
          file_size: number;
          mime_type?: string | undefined;
          /** Hexadecimal. The file is made only if its bytes have this checksum. */
          checksum_sha256?: string | undefined;
        }[];
      };
    };
    answer: BegunBatch;
  };
  /**
   * Make a workflow of a template
   *
   * POST /workflow-templates/{id}/instantiate
   */
  instantiateWorkflowTemplate: {
    args: {
      path: {
        id: number;
      };
      body: TemplateInstantiation;
    };
    answer: Workflow;
  };
  /**
   * Leave my tenant
   *
   * Disables my account at once, as an admin would; only an admin can enable it again. The last admin cannot leave: 409 `last_admin`.
   *
   * POST /me/leave
   */
  leaveTenant: {
    args: Record<never, never>;
    answer: undefined;
  };
  /**
   * My API keys that still work, by their prefix
   *
   * GET /api-keys/
   */
  listApiKeys: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
      };
    };
    answer: ApiKey[];
  };
  /**
   * What happened in the tenant, the newest first (tenant admins)
   *
   * Reading is an event of its own (`audit_events.read`, `audit_events.exported`), with the filters. The pages after the first belong to the same reading.
   *
   * GET /audit-events/
   */
  listAuditEvents: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        /** How it begins, such as `permission.` */
        action?: string | undefined;
        /** Who did it. */
        actor_id?: number | undefined;
        /** Who did it, or to whom it was done. */
        user_id?: number | undefined;
        /** `failed`: what was tried and did not work: invitation.mail_refused, notice.paused, trigger.paused, user.sign_in_failed. */
        outcome?: "done" | "failed" | undefined;
        target_type?: string | undefined;
        target_id?: string | undefined;
        /** Not before. */
        from?: string | undefined;
        /** Before. */
        to?: string | undefined;
        /** As CSV all events that match come, not a page. `Accept: text/csv` says the same. */
        format?: "json" | "csv" | undefined;
      };
    };
    answer: AuditEvent[];
  };
  /**
   * Everything below a folder
   *
   * For programs that copy or compare a folder. Each folder comes before what is in it; the contents of one in the order in which they were made, so that a page goes on at the right place after something was renamed or deleted. What is moved meanwhile may be listed twice, or not at all. What is in a folder that the caller may not see is left out. Below a file there is nothing.
   *
   * GET /cogs/{id}/tree
   */
  listCogTree: {
    args: {
      path: {
        id: number;
      };
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
      };
    };
    answer: TreeCog[];
  };
  /**
   * The files and folders in a folder
   *
   * GET /cogs/
   */
  listCogs: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        /** The root unless given. */
        parent_id?: number | undefined;
        /** `name` unless given; `-` for descending. Names are in natural order: `scan 2` before `scan 10`, and case and accents count only between names that are equal without them. */
        sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at" | "size_bytes" | "-size_bytes" | undefined;
        cog_type?: "master_folder" | "asset_folder" | "file" | undefined;
        /** Exactly this name. */
        name?: string | undefined;
      };
    };
    answer: Cog[];
  };
  /**
   * What others shared with me
   *
   * GET /cogs/shared-with-me
   */
  listCogsSharedWithMe: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        /** Adds `above` to each row. */
        with_above?: boolean | undefined;
      };
    };
    answer: PlacedCog[];
  };
  /**
   * Workflows that use a node
   *
   * The latest and the published version of each workflow that use this version of the node, newest first. A page may have fewer rows than its limit, or none, and others follow: `Link` tells.
   *
   * GET /node_definitions/{id}/uses
   */
  listDefinitionUses: {
    args: {
      path: {
        id: number;
      };
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
      };
    };
    answer: DefinitionUse[];
  };
  /**
   * What came to a webhook, newest first
   *
   * For those who may look into it. Kept for 90 days; of messages that start nothing 1,000 an hour of each verdict, of those with a bad signature 20.
   *
   * GET /workflows/triggers/{id}/deliveries
   */
  listDeliveries: {
    args: {
      path: {
        id: number;
      };
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        /** `repeated`: a message of the last 24 hours again, answered with its run. `answered`: a test of the address, which starts nothing. */
        verdict?: "accepted" | "repeated" | "answered" | "refused" | "disabled" | "bad_signature" | undefined;
      };
    };
    answer: Delivery[];
  };
  /**
   * The download URLs of a file or folder that still work, newest first
   *
   * All of them for owners and admins, else the own ones. Never the URL itself.
   *
   * GET /cogs/{id}/download-url
   */
  listDownloadUrls: {
    args: {
      path: {
        id: number;
      };
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
      };
    };
    answer: DownloadUrl[];
  };
  /**
   * The contents a file has had, newest first
   *
   * The current one is included.
   *
   * GET /cogs/{id}/versions
   */
  listFileVersions: {
    args: {
      path: {
        id: number;
      };
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
      };
    };
    answer: FileVersion[];
  };
  /**
   * What became of its ticks, newest first
   *
   * Kept for 90 days.
   *
   * GET /workflows/triggers/{id}/firings
   */
  listFirings: {
    args: {
      path: {
        id: number;
      };
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
      };
    };
    answer: Firing[];
  };
  /**
   * Open invitations into my tenant (tenant admins)
   *
   * GET /invitations/
   */
  listInvitations: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
      };
    };
    answer: Invitation[];
  };
  /**
   * My download URLs that still work, of selections too, newest first
   *
   * For admins, those of the tenant.
   *
   * GET /cogs/download-urls
   */
  listMyDownloadUrls: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
      };
    };
    answer: DownloadUrl[];
  };
  /**
   * Nodes that my workflows can use
   *
   * GET /node_definitions/
   */
  listNodeDefinitions: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        category?: string | undefined;
        /** Part of a name, title or description. */
        q?: string | undefined;
      };
    };
    answer: NodeDefinition[];
  };
  /**
   * Node runs of a run
   *
   * In topological order, then by file.
   *
   * GET /workflows/workflow-runs/{run_id}/node-runs
   */
  listNodeRuns: {
    args: {
      path: {
        run_id: number;
      };
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        /** Only of this node. */
        node_key?: string | undefined;
        /** Only of this file or lane; nodes that run once have none. */
        shard_index?: number | undefined;
        /** Adds the tries of each, and how long they took. */
        with_attempts?: boolean | undefined;
      };
    };
    answer: NodeRun[];
  };
  /**
   * What was sent, newest first
   *
   * For those who may change the notice. Kept for 30 days. What receivers answer is not kept, but its status.
   *
   * GET /workflows/notices/{id}/deliveries
   */
  listNoticeDeliveries: {
    args: {
      path: {
        id: number;
      };
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        /** `failed`: no more attempts are made. */
        state?: "waiting" | "delivered" | "failed" | undefined;
      };
    };
    answer: NoticeDelivery[];
  };
  /**
   * What is called or sent when runs end
   *
   * GET /workflows/notices/
   */
  listNotices: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        workflow_id?: number | undefined;
      };
    };
    answer: Notice[];
  };
  /**
   * Who has access to a cog
   *
   * GET /permissions/cogs/{id}
   */
  listPermissions: {
    args: {
      path: {
        id: number;
      };
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        /** Also grants on the folders above. */
        include_inherited?: boolean | undefined;
      };
    };
    answer: Permission[];
  };
  /**
   * The results of a run that were made from a file
   *
   * By node run. Of nodes that run per file only those of its lane. A file that the caller may not see is a row without a name. 404 for a run that it did not go into.
   *
   * GET /cogs/{id}/provenance/runs/{run_id}/files
   */
  listProvenanceFiles: {
    args: {
      path: {
        id: number;
        run_id: number;
      };
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
      };
    };
    answer: MadeFile[];
  };
  /**
   * The input files that a file was made from
   *
   * By input of the graph and in the order of the run; none for a file that no run made. A file that the caller may not see is a row without a name.
   *
   * GET /cogs/{id}/provenance/inputs
   */
  listProvenanceInputs: {
    args: {
      path: {
        id: number;
      };
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        /** The content whose origin is asked for; the current one unless given. */
        version?: number | undefined;
      };
    };
    answer: ProvenanceInput[];
  };
  /**
   * The runs that a file went into
   *
   * In any of its versions; newest first, deleted runs included. Each with the first results that were made from it.
   *
   * GET /cogs/{id}/provenance/runs
   */
  listProvenanceRuns: {
    args: {
      path: {
        id: number;
      };
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
      };
    };
    answer: ProvenanceRun[];
  };
  /**
   * Files of a run
   *
   * Those that went in, by input and in the order given; then those that came out, as they came.
   *
   * GET /workflows/workflow-runs/{run_id}/files
   */
  listRunFiles: {
    args: {
      path: {
        run_id: number;
      };
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        direction?: "input" | "output" | undefined;
      };
    };
    answer: RunFile[];
  };
  /**
   * Runs of my tenant, newest first
   *
   * GET /workflows/workflow-runs
   */
  listRuns: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        status?: "queued" | "running" | "success" | "partial_success" | "failure" | "cancelled" | undefined;
        workflow_id?: number | undefined;
        trigger_id?: number | undefined;
        started_by?: number | undefined;
      };
    };
    answer: WorkflowRunSummary[];
  };
  /**
   * Secrets of my tenant, without their values
   *
   * GET /secrets/
   */
  listSecrets: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
      };
    };
    answer: Secret[];
  };
  /**
   * Where I am signed in, the newest first
   *
   * Also those begun at an external identity provider. That provider's own access tokens have none.
   *
   * GET /me/sessions
   */
  listSessions: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
      };
    };
    answer: Session[];
  };
  /**
   * All tenants, with what they use and may use (platform admins)
   *
   * GET /platform/tenants/
   */
  listTenants: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        /** Part of the name, in any case. */
        q?: string | undefined;
      };
    };
    answer: Tenant[];
  };
  /**
   * What was deleted and can be restored
   *
   * Newest first: what the caller owns or deleted, for admins what anybody deleted. 30 days after its deletion a cog is removed for ever.
   *
   * GET /cogs/trash
   */
  listTrash: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        /** Adds `above` to each row. */
        with_above?: boolean | undefined;
      };
    };
    answer: TrashedCog[];
  };
  /**
   * What starts workflows by itself
   *
   * GET /workflows/triggers/
   */
  listTriggers: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        workflow_id?: number | undefined;
        /** Only those that have this folder. */
        folder_id?: number | undefined;
      };
    };
    answer: Trigger[];
  };
  /**
   * The caller's uploads that have not ended
   *
   * Newest first; others are never listed.
   *
   * GET /cogs/uploads
   */
  listUploads: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
      };
    };
    answer: UploadRecord[];
  };
  /**
   * The users of my tenant
   *
   * GET /users/
   */
  listUsers: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        /** Part of the name or the e-mail address, in any case. */
        q?: string | undefined;
        /** Also those who were removed, for the names in what they did. */
        include_removed?: boolean | undefined;
      };
    };
    answer: User[];
  };
  /**
   * What `extra_variables` of a run may hold
   *
   * GET /workflows/workflow-versions/{version_id}/variables
   */
  listVersionVariables: {
    args: {
      path: {
        version_id: number;
      };
    };
    answer: Variable[];
  };
  /**
   * Workers that run my work
   *
   * GET /workers
   */
  listWorkers: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
      };
    };
    answer: Worker[];
  };
  /**
   * Templates of the platform, and those of my organization
   *
   * GET /workflow-templates/
   */
  listWorkflowTemplates: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        category?: string | undefined;
        /** Part of name or description. */
        q?: string | undefined;
      };
    };
    answer: WorkflowTemplateSummary[];
  };
  /**
   * Versions of a workflow, oldest first
   *
   * Without their graphs: those come one by one. Two with one `logic_hash` do the same.
   *
   * GET /workflows/{id}/versions
   */
  listWorkflowVersions: {
    args: {
      path: {
        id: number;
      };
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
      };
    };
    answer: WorkflowVersionSummary[];
  };
  /**
   * Workflows of my tenant
   *
   * GET /workflows/
   */
  listWorkflows: {
    args: {
      query?: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
      };
    };
    answer: Workflow[];
  };
  /**
   * What an invitation is for, and what accepting it needs
   *
   * Changes nothing. 410 says how an invitation has ended, by its `code`.
   *
   * POST /invitations/look-up
   */
  lookUpInvitation: {
    args: {
      body: InvitationToken;
    };
    answer: OpenInvitation;
  };
  /**
   * Move many cogs to one folder
   *
   * Each is decided as if it were moved alone, and the others are not affected by one that is refused; of several with one name the first gets it. What is in the folder already stays as it is. Those who own something keep it by grants, where the folder does not give them that: of what needs more than 10,000 together the first ones are moved, the others get 409 `too_many_grants` and can be sent again.
   *
   * POST /cogs/move
   */
  moveCogs: {
    args: {
      body: {
        /** An id that comes twice has its outcome twice. */
        cog_ids: number[];
        /** The folder they go into. */
        parent_id: number;
      };
    };
    answer: MovedCogs;
  };
  /**
   * Places for the output files
   *
   * POST /workers/{id}/attempts/{attempt_id}/uploads
   */
  openUploads: {
    args: {
      path: {
        id: number;
        attempt_id: number;
      };
      body: {
        /** Fences the attempt. */
        lease_token: string;
        files: {
          size_bytes: number;
        }[];
      };
    };
    answer: AttemptUploads;
  };
  /**
   * A small picture of an image, or of the first page of a PDF
   *
   * Made at the first request; 202 with `Retry-After` while that takes longer than some seconds. 415 `no_preview` if there is none of these bytes: other types (SVG among them), damaged or too large files. 503 `previews_off` on a server that makes none.
   *
   * GET /cogs/{id}/preview
   */
  previewCog: {
    args: {
      path: {
        id: number;
      };
      query?: {
        /** Pixels of the longer side, at most. */
        size?: 256 | 1024 | undefined;
        /** The current one unless given. */
        version?: number | undefined;
      };
    };
    answer: Response;
  };
  /**
   * What disabling a user would stop (tenant admins)
   *
   * GET /users/{id}/disable-preview
   */
  previewDisabling: {
    args: {
      path: {
        id: number;
      };
    };
    answer: DisablePreview;
  };
  /**
   * When a schedule would fire next
   *
   * GET /workflows/triggers/preview
   */
  previewSchedule: {
    args: {
      query: {
        cron: string;
        timezone?: string | undefined;
        gap?: "shift" | "skip" | undefined;
        overlap?: "first" | "second" | "both" | undefined;
        count?: number | undefined;
      };
    };
    answer: ComingTick[];
  };
  /**
   * When it fires next
   *
   * GET /workflows/triggers/{id}/preview
   */
  previewTrigger: {
    args: {
      path: {
        id: number;
      };
      query?: {
        count?: number | undefined;
      };
    };
    answer: ComingTick[];
  };
  /**
   * Publish a draft; its graph never changes again
   *
   * With the `logic_hash` that was checked, 412 if somebody has changed meanwhile what the draft does. Changes of notes, titles and positions do not count, and are published too.
   *
   * POST /workflows/workflow-versions/{version_id}/publish
   */
  publishWorkflowVersion: {
    args: {
      path: {
        version_id: number;
      };
      body?: Publication | null;
    };
    answer: WorkflowVersion;
  };
  /**
   * Remove many cogs that are in the trash for ever
   *
   * By their owner or an admin.
   *
   * POST /cogs/purge
   */
  purgeCogs: {
    args: {
      body: {
        /** An id that comes twice has its outcome twice. */
        cog_ids: number[];
      };
    };
    answer: RemovedCogs;
  };
  /**
   * Inputs that an order did not name
   *
   * Of an order that says `more_inputs`: the next ones, in order, until a page says it no more. A page may be empty.
   *
   * POST /workers/{id}/attempts/{attempt_id}/inputs
   */
  readInputs: {
    args: {
      path: {
        id: number;
        attempt_id: number;
      };
      body: {
        /** Fences the attempt. */
        lease_token: string;
        /** `more_inputs`, as given. */
        start: string;
      };
    };
    answer: InputPage;
  };
  /**
   * Start the run of a webhook
   *
   * Signed as Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`), or as its preset says. A message of the last 24 hours again is answered with its run. 401 for any fault of address or signature, 409 `trigger_disabled`, 422 if the body lacks what the mapping needs.
   *
   * POST /hooks/{public_id}
   */
  receiveMessage: {
    args: {
      path: {
        public_id: string;
      };
    };
    answer: {
      workflow_run_id?: number | undefined;
      challenge?: string | undefined;
      message?: string | undefined;
    } | {
      workflow_run_id: number;
    };
  };
  /**
   * Start a run for a message of before
   *
   * By the mapping of today, and without asking for its signature again.
   *
   * POST /workflows/triggers/{id}/deliveries/{delivery_id}/redeliver
   */
  redeliver: {
    args: {
      path: {
        id: number;
        delivery_id: number;
      };
    };
    answer: {
      workflow_run_id: number;
    };
  };
  /**
   * Send a message once more
   *
   * Whatever became of it, now and under the same `webhook-id`. 409 `notice_disabled` while the notice is off.
   *
   * POST /workflows/notices/{id}/deliveries/{delivery_id}/redeliver
   */
  redeliverNotice: {
    args: {
      path: {
        id: number;
        delivery_id: number;
      };
    };
    answer: NoticeDelivery;
  };
  /**
   * Exchange a refresh token for a new access token and a new refresh token
   *
   * A refresh token is good for one use. Using it a second time ends its whole family, because one of the two users must have stolen it.
   *
   * POST /auth/refresh-token
   */
  refreshToken: {
    args: {
      body: RefreshRequest;
    };
    answer: RefreshedToken;
  };
  /**
   * Register a node
   *
   * A registered version never changes; register a new version instead.
   *
   * POST /node_definitions/
   */
  registerNodeDefinition: {
    args: {
      body: NewNodeDefinition;
    };
    answer: NodeDefinition;
  };
  /**
   * Remove a disabled user for good (tenant admins)
   *
   * Their address can be invited again. What they own and did stays, with their name; name a successor before. 409 `not_disabled` for others.
   *
   * DELETE /users/{id}
   */
  removeUser: {
    args: {
      path: {
        id: number;
      };
    };
    answer: undefined;
  };
  /**
   * Revoke an API key that was found in public
   *
   * For scanners of leaked secrets, and whoever else finds one: sending the whole key revokes it, with its tokens. Always 202. Keys match `sk_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}`; the last six characters are the CRC-32 of what stands before the last `_`, in base 62 (0-9A-Za-z).
   *
   * POST /api-keys/report
   */
  reportApiKey: {
    args: {
      body: ApiKeyTokenRequest;
    };
    answer: Record<string, unknown>;
  };
  /**
   * The container runs
   *
   * POST /workers/{id}/attempts/{attempt_id}/started
   */
  reportStarted: {
    args: {
      path: {
        id: number;
        attempt_id: number;
      };
      body: {
        /** Fences the attempt. */
        lease_token: string;
      };
    };
    answer: undefined;
  };
  /**
   * Run again, as a new run
   *
   * `failed` takes over what succeeded, unless a changed variable touches it; `all` does not; `only` says what runs again.
   *
   * POST /workflows/workflow-runs/{run_id}/restart
   */
  restartRun: {
    args: {
      path: {
        run_id: number;
      };
      body?: RestartRun | null;
    };
    answer: RestartedRun;
  };
  /**
   * Put a deleted cog back where it was
   *
   * With all that was in it. Its owner gets an owner grant on it again, unless that was revoked; other grants on it were removed with it, except what restricts a user. Those on what lies below count again.
   *
   * POST /cogs/{id}/restore
   */
  restoreCog: {
    args: {
      path: {
        id: number;
      };
      body?: {
        /** One to 255 bytes of UTF-8 without "/" and control characters; stored as NFC. */
        name?: string | undefined;
      } | null;
    };
    answer: RestoredCog;
  };
  /**
   * Put many deleted cogs back where they were
   *
   * Folders before what was in them; of several with one name the first gets it. One whose name is taken gets a number with `existing: number`, or can be restored alone, with a new name.
   *
   * POST /cogs/restore
   */
  restoreCogs: {
    args: {
      body: {
        /** An id that comes twice has its outcome twice. */
        cog_ids: number[];
        /** What becomes of those whose name is taken: an error, or a number after it, `a (2).txt`. An error unless given. */
        existing?: "refuse" | "number" | undefined;
      };
    };
    answer: RestoredCogs;
  };
  /**
   * Make an earlier content the current one again
   *
   * As a new version, without copying bytes. `If-Match` as for a new content.
   *
   * POST /cogs/{id}/versions/{version}/restore
   */
  restoreFileVersion: {
    args: {
      path: {
        id: number;
        version: number;
      };
    };
    answer: Cog;
  };
  /**
   * Let a drained worker take work again
   *
   * POST /workers/{id}/resume
   */
  resumeWorker: {
    args: {
      path: {
        id: number;
      };
    };
    answer: Worker;
  };
  /**
   * Revoke a download URL at once
   *
   * By who made it, owns something that it gives, or is an admin.
   *
   * DELETE /cogs/download-urls/{id}
   */
  revokeDownloadUrl: {
    args: {
      path: {
        id: number;
      };
    };
    answer: undefined;
  };
  /**
   * Take an open invitation back (tenant admins)
   *
   * DELETE /invitations/{id}
   */
  revokeInvitation: {
    args: {
      path: {
        id: number;
      };
    };
    answer: undefined;
  };
  /**
   * Take a grant back
   *
   * DELETE /permissions/{permission_id}
   */
  revokePermission: {
    args: {
      path: {
        permission_id: number;
      };
    };
    answer: undefined;
  };
  /**
   * Replace an API key by a new one
   *
   * POST /api-keys/{id}/rotate
   */
  rotateApiKey: {
    args: {
      path: {
        id: number;
      };
      body: RotateApiKeyRequest;
    };
    answer: NewApiKey;
  };
  /**
   * A new secret for the receiver
   *
   * For the overlap, messages are signed with both. There are two at most: one that was being replaced already ends at once. 409 `notice_by_mail`: mails are not signed.
   *
   * POST /workflows/notices/{id}/rotate-secret
   */
  rotateNoticeSecret: {
    args: {
      path: {
        id: number;
      };
      body: NewNoticeSecret;
    };
    answer: RotatedNoticeSecret;
  };
  /**
   * A new secret for the sender
   *
   * The old one lives on for the overlap. There are two at most: one that was being replaced already ends at once.
   *
   * POST /workflows/triggers/{id}/rotate-secret
   */
  rotateTriggerSecret: {
    args: {
      path: {
        id: number;
      };
      body: NewTriggerSecret;
    };
    answer: RotatedTriggerSecret;
  };
  /**
   * Files and folders with a text in their name
   *
   * By name, in the order that lists of folders have. In a tenant of very many files a page may hold fewer than `limit`, or none, and still have a `Link` to go on.
   *
   * GET /cogs/search
   */
  searchCogs: {
    args: {
      query: {
        /** Rows to leave out. */
        offset?: number | undefined;
        limit?: number | undefined;
        /** From the `Link` of the page before; excludes `offset`. */
        cursor?: string | undefined;
        /** Adds the header `X-Total-Count`. */
        with_total?: boolean | undefined;
        /** In any case. */
        q: string;
        /** Only below this folder. */
        under?: number | undefined;
        /** Adds `above` to each row. */
        with_above?: boolean | undefined;
      };
    };
    answer: PlacedCog[];
  };
  /**
   * Say that the worker lives and what it holds
   *
   * POST /workers/{id}/heartbeat
   */
  sendHeartbeat: {
    args: {
      path: {
        id: number;
      };
      body: Heartbeat;
    };
    answer: HeartbeatAnswer;
  };
  /**
   * Share a cog with a user; sharing again replaces the grant
   *
   * POST /permissions/cogs/{id}
   */
  shareCog: {
    args: {
      path: {
        id: number;
      };
      body: {
        target_type: "cog";
        /** The id in the path. */
        target_id: number;
        user_id: number;
        level: "viewer" | "editor" | "owner";
        expires_at?: string | undefined;
        /** Overrides what the level says about adding and changing; absent: it decides. */
        can_upload?: boolean | undefined;
        /** Overrides what the level says about sharing; absent: it decides. */
        can_share?: boolean | undefined;
        /** Overrides what the level says about deleting; absent: it decides. */
        can_delete?: boolean | undefined;
      };
    };
    answer: Permission;
  };
  /**
   * Run a version over some files
   *
   * Answers when the run is accepted; follow it by its id. 409 `version_changed` when a draft is edited while it is being checked, and `insufficient_credits` when five minutes of its first step cost more than the organization has left, or than `max_credits`. Of one tenant a few starts are worked on at a time, and of large ones one; the others wait; 429 `too_many_at_once` with `Retry-After` when they are too many, or wait longer than a minute. With an `Idempotency-Key` a repeated start waits for the first one, and gets 503 `same_request_under_way` when that takes more than a minute.
   *
   * POST /workflows/workflow-versions/{version_id}/run
   */
  startRun: {
    args: {
      path: {
        version_id: number;
      };
      body: StartRun;
    };
    answer: StartedRun;
  };
  /**
   * Start a process of the worker
   *
   * Only the newest process works. Calls of an older one are 409 `superseded` from now on, but for reports on what it holds.
   *
   * POST /workers/{id}/start
   */
  startWorker: {
    args: {
      path: {
        id: number;
      };
      body: ProcessStart;
    };
    answer: StartedProcess;
  };
  /**
   * Say that the process ends
   *
   * The last call of a process: the worker is offline at once.
   *
   * POST /workers/{id}/stop
   */
  stopWorker: {
    args: {
      path: {
        id: number;
      };
    };
    answer: undefined;
  };
  /**
   * Replace a file's content by a new version
   *
   * The content before is kept as a version; the name stays. With `If-Match`, the `ETag` of its download: 412 if the content has changed since.
   *
   * POST /cogs/{id}/content
   */
  storeContent: {
    args: {
      path: {
        id: number;
      };
      body: FormData;
    };
    answer: Cog;
  };
  /**
   * Send a message of type `test`
   *
   * It is tried once; its delivery tells what came of it. 409 `notice_disabled` while the notice is off.
   *
   * POST /workflows/notices/{id}/test
   */
  testNotice: {
    args: {
      path: {
        id: number;
      };
    };
    answer: NoticeDelivery;
  };
  /**
   * Contact the registry of a secret with its credentials
   *
   * For tenant admins. It says whether the registry can be reached from this server and accepts the credentials; workers elsewhere may reach other networks. Internal registries are called only where the operator allows it.
   *
   * POST /secrets/{id}/test
   */
  testSecret: {
    args: {
      path: {
        id: number;
      };
    };
    answer: SecretTest;
  };
  /**
   * Hand a cog over to another owner
   *
   * By its owner or an admin of the tenant. The new owner gets an owner grant on it, all other grants stay.
   *
   * POST /cogs/{id}/transfer
   */
  transferCog: {
    args: {
      path: {
        id: number;
      };
      body: {
        /** Of the tenant, and active. */
        user_id: number;
        /** The own grant of the owner until now on the cog: this level, or none. Unless given, it stays as it is. */
        keep_access?: "none" | "viewer" | "editor" | "owner" | undefined;
        /** Also everything below that has the same owner. Their own grants there go with `keep_access`. */
        recursive?: boolean | undefined;
      };
    };
    answer: RestoredCog;
  };
  /**
   * Upload a file
   *
   * The name is that of the file part, never a path. With `parent_id` before the file, rights and name are checked before the bytes are read.
   *
   * POST /cogs/upload-file
   */
  uploadFile: {
    args: {
      body: FormData;
    };
    answer: Cog;
  };
  /**
   * Check a graph: every fault at once
   *
   * POST /workflows/workflow-versions/{version_id}/validate
   */
  validateWorkflowVersion: {
    args: {
      path: {
        version_id: number;
      };
    };
    answer: GraphValidation;
  };
  /**
   * Compare all events with their seals (tenant admins)
   *
   * Names the events and blocks that were changed, removed or added afterwards, and with a head that was kept also whether blocks were cut off at the end. Takes seconds per million events. An event of its own (`audit_events.verified`).
   *
   * GET /audit-events/verify
   */
  verifyAuditEvents: {
    args: {
      query?: {
        /** The number of the last block, 0 before there is one, and its seal. */
        head?: string | undefined;
      };
    };
    answer: AuditVerification;
  };
  /**
   * What happens in a run, as it happens
   *
   * Server-sent events: `run` (the run without variables, files and node runs), `node_run` (one, without its outputs), `run_file` (a result), `log` (`{node_run_id, attempt, size_bytes}`: how much of it there is), `progress` (its four fields, and `nodes`: how many node runs of those that changed are how), `end`. It begins with `run` and `progress`, with all nodes. An `id` comes after the events it covers, on its own, and also with the heartbeat every 15 seconds. Sent back as `Last-Event-ID`, to any process, the stream goes on after it without a gap; events since the last `id` may come twice. An event `reset` says that something is not told: read the whole again, and go on with the events that follow. A stream ends when the server stops, when its client reads too slowly, and when its credentials end. Its open streams are limited per user and tenant: 429 `too_many_at_once`.
   *
   * GET /workflows/workflow-runs/{run_id}/events
   */
  watchRun: {
    args: {
      path: {
        run_id: number;
      };
    };
    answer: Response;
  };
  /**
   * What becomes of the runs, versions and workers of my tenant, as it happens
   *
   * Server-sent events, for lists: `run` (as in the events of one run; `deleted` when it was), `version` (a workflow's version was added, changed, published or archived: `{id, workflow_id, version_number, state, etag, graph_hash, logic_hash, changed_by}`; an editor that has another `etag` reads `GET /workflows/workflow-versions/{id}`, and if it has the same `logic_hash`, only the drawing has changed), `worker` (one of the organization's own was enrolled, started, stopped, changed or removed: `{id, name, status}`; of one that falls silent nothing is told). It begins with `reset`: read the list then. An `id` comes after the events it covers, on its own, and also with the heartbeat every 15 seconds. Sent back as `Last-Event-ID`, to any process, the stream goes on after it without a gap; events since the last `id` may come twice. An event `reset` says that something is not told: read the whole again, and go on with the events that follow. A stream ends when the server stops, when its client reads too slowly, and when its credentials end. Its open streams are limited per user and tenant: 429 `too_many_at_once`.
   *
   * GET /events
   */
  watchRuns: {
    args: Record<never, never>;
    answer: Response;
  };
};

/** How an operation is called: where, with which kind of body, and what comes back. */
export type OperationShape = {
  method: string;
  path: string;
  body: 'none' | 'json' | 'form';
  answer: 'none' | 'json' | 'raw';
};

export const operations: Record<keyof Operations, OperationShape> = {
  abortUpload: { method: 'DELETE', path: '/cogs/uploads/{upload_id}', body: 'none', answer: 'none' },
  abortUploads: { method: 'POST', path: '/cogs/uploads/abort', body: 'json', answer: 'none' },
  acceptInvitation: { method: 'POST', path: '/invitations/accept', body: 'json', answer: 'json' },
  acquireWork: { method: 'POST', path: '/workers/{id}/acquire', body: 'json', answer: 'json' },
  addTenantCredits: { method: 'POST', path: '/platform/tenants/{id}/credits', body: 'json', answer: 'json' },
  appendLog: { method: 'POST', path: '/workers/{id}/attempts/{attempt_id}/logs', body: 'json', answer: 'none' },
  archiveWorkflowVersion: { method: 'POST', path: '/workflows/workflow-versions/{version_id}/archive', body: 'none', answer: 'json' },
  cancelRun: { method: 'POST', path: '/workflows/workflow-runs/{run_id}/cancel', body: 'json', answer: 'json' },
  changeCog: { method: 'PATCH', path: '/cogs/{id}', body: 'json', answer: 'json' },
  changeMe: { method: 'PATCH', path: '/me', body: 'json', answer: 'json' },
  changeNotice: { method: 'PATCH', path: '/workflows/notices/{id}', body: 'json', answer: 'json' },
  changeOrganization: { method: 'PATCH', path: '/organization', body: 'json', answer: 'json' },
  changePassword: { method: 'POST', path: '/auth/change-password', body: 'json', answer: 'none' },
  changePermission: { method: 'PATCH', path: '/permissions/{permission_id}', body: 'json', answer: 'json' },
  changeSecret: { method: 'PUT', path: '/secrets/{id}', body: 'json', answer: 'json' },
  changeTenant: { method: 'PATCH', path: '/platform/tenants/{id}', body: 'json', answer: 'json' },
  changeTrigger: { method: 'PATCH', path: '/workflows/triggers/{id}', body: 'json', answer: 'json' },
  changeUser: { method: 'PATCH', path: '/users/{id}', body: 'json', answer: 'json' },
  changeWorker: { method: 'PATCH', path: '/workers/{id}', body: 'json', answer: 'json' },
  changeWorkflow: { method: 'PATCH', path: '/workflows/{id}', body: 'json', answer: 'json' },
  changeWorkflowVersion: { method: 'PATCH', path: '/workflows/workflow-versions/{version_id}', body: 'json', answer: 'json' },
  completeAttempt: { method: 'POST', path: '/workers/{id}/attempts/{attempt_id}/complete', body: 'json', answer: 'none' },
  confirmUpload: { method: 'POST', path: '/cogs/confirm-upload', body: 'form', answer: 'json' },
  confirmUploads: { method: 'POST', path: '/cogs/confirm-uploads', body: 'json', answer: 'json' },
  copyCog: { method: 'POST', path: '/cogs/{id}/copy', body: 'json', answer: 'json' },
  copyCogs: { method: 'POST', path: '/cogs/copy', body: 'json', answer: 'json' },
  createApiKey: { method: 'POST', path: '/api-keys/', body: 'json', answer: 'json' },
  createDownloadUrl: { method: 'POST', path: '/cogs/{id}/download-url', body: 'json', answer: 'json' },
  createEnrollmentToken: { method: 'POST', path: '/workers/enrollment-tokens', body: 'json', answer: 'json' },
  createFolder: { method: 'POST', path: '/cogs/', body: 'json', answer: 'json' },
  createInvitation: { method: 'POST', path: '/invitations/', body: 'json', answer: 'json' },
  createNotice: { method: 'POST', path: '/workflows/notices/', body: 'json', answer: 'json' },
  createPartUrls: { method: 'POST', path: '/cogs/uploads/{upload_id}/parts', body: 'json', answer: 'json' },
  createSecret: { method: 'POST', path: '/secrets/', body: 'json', answer: 'json' },
  createSelectionUrl: { method: 'POST', path: '/cogs/download-url', body: 'json', answer: 'json' },
  createTenant: { method: 'POST', path: '/platform/tenants/', body: 'json', answer: 'json' },
  createTrigger: { method: 'POST', path: '/workflows/triggers/', body: 'json', answer: 'json' },
  createWorkflow: { method: 'POST', path: '/workflows/', body: 'json', answer: 'json' },
  createWorkflowTemplate: { method: 'POST', path: '/workflow-templates/', body: 'json', answer: 'json' },
  createWorkflowVersion: { method: 'POST', path: '/workflows/{id}/versions', body: 'json', answer: 'json' },
  deleteApiKey: { method: 'DELETE', path: '/api-keys/{id}', body: 'none', answer: 'none' },
  deleteCog: { method: 'DELETE', path: '/cogs/{id}', body: 'none', answer: 'none' },
  deleteCogs: { method: 'POST', path: '/cogs/delete', body: 'json', answer: 'json' },
  deleteFileVersion: { method: 'DELETE', path: '/cogs/{id}/versions/{version}', body: 'none', answer: 'none' },
  deleteNotice: { method: 'DELETE', path: '/workflows/notices/{id}', body: 'none', answer: 'none' },
  deleteRun: { method: 'DELETE', path: '/workflows/workflow-runs/{run_id}', body: 'none', answer: 'none' },
  deleteSecret: { method: 'DELETE', path: '/secrets/{id}', body: 'none', answer: 'none' },
  deleteTrigger: { method: 'DELETE', path: '/workflows/triggers/{id}', body: 'none', answer: 'none' },
  deleteWorker: { method: 'DELETE', path: '/workers/{id}', body: 'none', answer: 'none' },
  deleteWorkflow: { method: 'DELETE', path: '/workflows/{id}', body: 'none', answer: 'none' },
  deleteWorkflowTemplate: { method: 'DELETE', path: '/workflow-templates/{id}', body: 'none', answer: 'none' },
  downloadByUrl: { method: 'GET', path: '/d/{token}', body: 'none', answer: 'raw' },
  downloadCog: { method: 'GET', path: '/cogs/{id}/download', body: 'none', answer: 'raw' },
  drainWorker: { method: 'POST', path: '/workers/{id}/drain', body: 'none', answer: 'json' },
  emptyTrash: { method: 'DELETE', path: '/cogs/trash', body: 'none', answer: 'none' },
  endOtherSessions: { method: 'DELETE', path: '/me/sessions', body: 'none', answer: 'none' },
  endSession: { method: 'DELETE', path: '/me/sessions/{id}', body: 'none', answer: 'none' },
  enrollWorker: { method: 'POST', path: '/workers', body: 'json', answer: 'json' },
  exchangeApiKey: { method: 'POST', path: '/api-keys/token', body: 'json', answer: 'json' },
  exchangeWork: { method: 'POST', path: '/workers/{id}/exchange', body: 'json', answer: 'json' },
  explainAccess: { method: 'GET', path: '/permissions/cogs/{id}/effective', body: 'none', answer: 'json' },
  fireTrigger: { method: 'POST', path: '/workflows/triggers/{id}/fire', body: 'none', answer: 'json' },
  getAuditHead: { method: 'GET', path: '/audit-events/head', body: 'none', answer: 'json' },
  getCog: { method: 'GET', path: '/cogs/{id}', body: 'none', answer: 'json' },
  getCogPath: { method: 'GET', path: '/cogs/{id}/path', body: 'none', answer: 'json' },
  getCreditsReport: { method: 'GET', path: '/platform/analytics/credits', body: 'none', answer: 'json' },
  getDelivery: { method: 'GET', path: '/workflows/triggers/{id}/deliveries/{delivery_id}', body: 'none', answer: 'json' },
  getHealth: { method: 'GET', path: '/healthz', body: 'none', answer: 'json' },
  getMe: { method: 'GET', path: '/me', body: 'none', answer: 'json' },
  getNodeDefinition: { method: 'GET', path: '/node_definitions/{id}', body: 'none', answer: 'json' },
  getNodeRunLog: { method: 'GET', path: '/workflows/workflow-runs/{run_id}/node-runs/{node_run_id}/logs', body: 'none', answer: 'raw' },
  getNodesReport: { method: 'GET', path: '/platform/analytics/nodes', body: 'none', answer: 'json' },
  getNotice: { method: 'GET', path: '/workflows/notices/{id}', body: 'none', answer: 'json' },
  getOrganization: { method: 'GET', path: '/organization', body: 'none', answer: 'json' },
  getOverviewReport: { method: 'GET', path: '/platform/analytics/overview', body: 'none', answer: 'json' },
  getProvenance: { method: 'GET', path: '/cogs/{id}/provenance', body: 'none', answer: 'json' },
  getReadiness: { method: 'GET', path: '/readyz', body: 'none', answer: 'json' },
  getRootCog: { method: 'GET', path: '/cogs/root', body: 'none', answer: 'json' },
  getRun: { method: 'GET', path: '/workflows/workflow-runs/{run_id}', body: 'none', answer: 'json' },
  getRunGrid: { method: 'GET', path: '/workflows/workflow-runs/{run_id}/grid', body: 'none', answer: 'json' },
  getRunProgress: { method: 'GET', path: '/workflows/workflow-runs/{run_id}/progress', body: 'none', answer: 'json' },
  getRunsReport: { method: 'GET', path: '/platform/analytics/runs', body: 'none', answer: 'json' },
  getSecret: { method: 'GET', path: '/secrets/{id}', body: 'none', answer: 'json' },
  getSignInConfig: { method: 'GET', path: '/auth/config', body: 'none', answer: 'json' },
  getStorageReport: { method: 'GET', path: '/platform/analytics/storage', body: 'none', answer: 'json' },
  getSubscription: { method: 'GET', path: '/subscriptions', body: 'none', answer: 'json' },
  getTemplateSample: { method: 'GET', path: '/workflow-templates/{id}/samples/{name}', body: 'none', answer: 'raw' },
  getTenant: { method: 'GET', path: '/platform/tenants/{id}', body: 'none', answer: 'json' },
  getTrigger: { method: 'GET', path: '/workflows/triggers/{id}', body: 'none', answer: 'json' },
  getUpload: { method: 'GET', path: '/cogs/uploads/{upload_id}', body: 'none', answer: 'json' },
  getUsersReport: { method: 'GET', path: '/platform/analytics/users', body: 'none', answer: 'json' },
  getWorker: { method: 'GET', path: '/workers/{id}', body: 'none', answer: 'json' },
  getWorkersReport: { method: 'GET', path: '/platform/analytics/workers', body: 'none', answer: 'json' },
  getWorkflow: { method: 'GET', path: '/workflows/{id}', body: 'none', answer: 'json' },
  getWorkflowTemplate: { method: 'GET', path: '/workflow-templates/{id}', body: 'none', answer: 'json' },
  getWorkflowVersion: { method: 'GET', path: '/workflows/workflow-versions/{version_id}', body: 'none', answer: 'json' },
  initiateUpload: { method: 'POST', path: '/cogs/uploads/initiate', body: 'json', answer: 'json' },
  initiateUploads: { method: 'POST', path: '/cogs/uploads/batch', body: 'json', answer: 'json' },
  instantiateWorkflowTemplate: { method: 'POST', path: '/workflow-templates/{id}/instantiate', body: 'json', answer: 'json' },
  leaveTenant: { method: 'POST', path: '/me/leave', body: 'none', answer: 'none' },
  listApiKeys: { method: 'GET', path: '/api-keys/', body: 'none', answer: 'json' },
  listAuditEvents: { method: 'GET', path: '/audit-events/', body: 'none', answer: 'json' },
  listCogTree: { method: 'GET', path: '/cogs/{id}/tree', body: 'none', answer: 'json' },
  listCogs: { method: 'GET', path: '/cogs/', body: 'none', answer: 'json' },
  listCogsSharedWithMe: { method: 'GET', path: '/cogs/shared-with-me', body: 'none', answer: 'json' },
  listDefinitionUses: { method: 'GET', path: '/node_definitions/{id}/uses', body: 'none', answer: 'json' },
  listDeliveries: { method: 'GET', path: '/workflows/triggers/{id}/deliveries', body: 'none', answer: 'json' },
  listDownloadUrls: { method: 'GET', path: '/cogs/{id}/download-url', body: 'none', answer: 'json' },
  listFileVersions: { method: 'GET', path: '/cogs/{id}/versions', body: 'none', answer: 'json' },
  listFirings: { method: 'GET', path: '/workflows/triggers/{id}/firings', body: 'none', answer: 'json' },
  listInvitations: { method: 'GET', path: '/invitations/', body: 'none', answer: 'json' },
  listMyDownloadUrls: { method: 'GET', path: '/cogs/download-urls', body: 'none', answer: 'json' },
  listNodeDefinitions: { method: 'GET', path: '/node_definitions/', body: 'none', answer: 'json' },
  listNodeRuns: { method: 'GET', path: '/workflows/workflow-runs/{run_id}/node-runs', body: 'none', answer: 'json' },
  listNoticeDeliveries: { method: 'GET', path: '/workflows/notices/{id}/deliveries', body: 'none', answer: 'json' },
  listNotices: { method: 'GET', path: '/workflows/notices/', body: 'none', answer: 'json' },
  listPermissions: { method: 'GET', path: '/permissions/cogs/{id}', body: 'none', answer: 'json' },
  listProvenanceFiles: { method: 'GET', path: '/cogs/{id}/provenance/runs/{run_id}/files', body: 'none', answer: 'json' },
  listProvenanceInputs: { method: 'GET', path: '/cogs/{id}/provenance/inputs', body: 'none', answer: 'json' },
  listProvenanceRuns: { method: 'GET', path: '/cogs/{id}/provenance/runs', body: 'none', answer: 'json' },
  listRunFiles: { method: 'GET', path: '/workflows/workflow-runs/{run_id}/files', body: 'none', answer: 'json' },
  listRuns: { method: 'GET', path: '/workflows/workflow-runs', body: 'none', answer: 'json' },
  listSecrets: { method: 'GET', path: '/secrets/', body: 'none', answer: 'json' },
  listSessions: { method: 'GET', path: '/me/sessions', body: 'none', answer: 'json' },
  listTenants: { method: 'GET', path: '/platform/tenants/', body: 'none', answer: 'json' },
  listTrash: { method: 'GET', path: '/cogs/trash', body: 'none', answer: 'json' },
  listTriggers: { method: 'GET', path: '/workflows/triggers/', body: 'none', answer: 'json' },
  listUploads: { method: 'GET', path: '/cogs/uploads', body: 'none', answer: 'json' },
  listUsers: { method: 'GET', path: '/users/', body: 'none', answer: 'json' },
  listVersionVariables: { method: 'GET', path: '/workflows/workflow-versions/{version_id}/variables', body: 'none', answer: 'json' },
  listWorkers: { method: 'GET', path: '/workers', body: 'none', answer: 'json' },
  listWorkflowTemplates: { method: 'GET', path: '/workflow-templates/', body: 'none', answer: 'json' },
  listWorkflowVersions: { method: 'GET', path: '/workflows/{id}/versions', body: 'none', answer: 'json' },
  listWorkflows: { method: 'GET', path: '/workflows/', body: 'none', answer: 'json' },
  lookUpInvitation: { method: 'POST', path: '/invitations/look-up', body: 'json', answer: 'json' },
  moveCogs: { method: 'POST', path: '/cogs/move', body: 'json', answer: 'json' },
  openUploads: { method: 'POST', path: '/workers/{id}/attempts/{attempt_id}/uploads', body: 'json', answer: 'json' },
  previewCog: { method: 'GET', path: '/cogs/{id}/preview', body: 'none', answer: 'raw' },
  previewDisabling: { method: 'GET', path: '/users/{id}/disable-preview', body: 'none', answer: 'json' },
  previewSchedule: { method: 'GET', path: '/workflows/triggers/preview', body: 'none', answer: 'json' },
  previewTrigger: { method: 'GET', path: '/workflows/triggers/{id}/preview', body: 'none', answer: 'json' },
  publishWorkflowVersion: { method: 'POST', path: '/workflows/workflow-versions/{version_id}/publish', body: 'json', answer: 'json' },
  purgeCogs: { method: 'POST', path: '/cogs/purge', body: 'json', answer: 'json' },
  readInputs: { method: 'POST', path: '/workers/{id}/attempts/{attempt_id}/inputs', body: 'json', answer: 'json' },
  receiveMessage: { method: 'POST', path: '/hooks/{public_id}', body: 'none', answer: 'json' },
  redeliver: { method: 'POST', path: '/workflows/triggers/{id}/deliveries/{delivery_id}/redeliver', body: 'none', answer: 'json' },
  redeliverNotice: { method: 'POST', path: '/workflows/notices/{id}/deliveries/{delivery_id}/redeliver', body: 'none', answer: 'json' },
  refreshToken: { method: 'POST', path: '/auth/refresh-token', body: 'json', answer: 'json' },
  registerNodeDefinition: { method: 'POST', path: '/node_definitions/', body: 'json', answer: 'json' },
  removeUser: { method: 'DELETE', path: '/users/{id}', body: 'none', answer: 'none' },
  reportApiKey: { method: 'POST', path: '/api-keys/report', body: 'json', answer: 'json' },
  reportStarted: { method: 'POST', path: '/workers/{id}/attempts/{attempt_id}/started', body: 'json', answer: 'none' },
  restartRun: { method: 'POST', path: '/workflows/workflow-runs/{run_id}/restart', body: 'json', answer: 'json' },
  restoreCog: { method: 'POST', path: '/cogs/{id}/restore', body: 'json', answer: 'json' },
  restoreCogs: { method: 'POST', path: '/cogs/restore', body: 'json', answer: 'json' },
  restoreFileVersion: { method: 'POST', path: '/cogs/{id}/versions/{version}/restore', body: 'none', answer: 'json' },
  resumeWorker: { method: 'POST', path: '/workers/{id}/resume', body: 'none', answer: 'json' },
  revokeDownloadUrl: { method: 'DELETE', path: '/cogs/download-urls/{id}', body: 'none', answer: 'none' },
  revokeInvitation: { method: 'DELETE', path: '/invitations/{id}', body: 'none', answer: 'none' },
  revokePermission: { method: 'DELETE', path: '/permissions/{permission_id}', body: 'none', answer: 'none' },
  rotateApiKey: { method: 'POST', path: '/api-keys/{id}/rotate', body: 'json', answer: 'json' },
  rotateNoticeSecret: { method: 'POST', path: '/workflows/notices/{id}/rotate-secret', body: 'json', answer: 'json' },
  rotateTriggerSecret: { method: 'POST', path: '/workflows/triggers/{id}/rotate-secret', body: 'json', answer: 'json' },
  searchCogs: { method: 'GET', path: '/cogs/search', body: 'none', answer: 'json' },
  sendHeartbeat: { method: 'POST', path: '/workers/{id}/heartbeat', body: 'json', answer: 'json' },
  shareCog: { method: 'POST', path: '/permissions/cogs/{id}', body: 'json', answer: 'json' },
  startRun: { method: 'POST', path: '/workflows/workflow-versions/{version_id}/run', body: 'json', answer: 'json' },
  startWorker: { method: 'POST', path: '/workers/{id}/start', body: 'json', answer: 'json' },
  stopWorker: { method: 'POST', path: '/workers/{id}/stop', body: 'none', answer: 'none' },
  storeContent: { method: 'POST', path: '/cogs/{id}/content', body: 'form', answer: 'json' },
  testNotice: { method: 'POST', path: '/workflows/notices/{id}/test', body: 'none', answer: 'json' },
  testSecret: { method: 'POST', path: '/secrets/{id}/test', body: 'none', answer: 'json' },
  transferCog: { method: 'POST', path: '/cogs/{id}/transfer', body: 'json', answer: 'json' },
  uploadFile: { method: 'POST', path: '/cogs/upload-file', body: 'form', answer: 'json' },
  validateWorkflowVersion: { method: 'POST', path: '/workflows/workflow-versions/{version_id}/validate', body: 'none', answer: 'json' },
  verifyAuditEvents: { method: 'GET', path: '/audit-events/verify', body: 'none', answer: 'json' },
  watchRun: { method: 'GET', path: '/workflows/workflow-runs/{run_id}/events', body: 'none', answer: 'raw' },
  watchRuns: { method: 'GET', path: '/events', body: 'none', answer: 'raw' },
};
