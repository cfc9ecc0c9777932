/** Parses the query of a URL; invalid values are ignored. */
import { type RunStatus, runStatuses } from '@cogworks/sdk/runs';

const sorts = ['name', '-name', 'updated_at', '-updated_at', 'size_bytes', '-size_bytes'] as const;
export type Sort = (typeof sorts)[number];

const sortOf = (value: unknown): Sort | undefined => sorts.find((sort) => sort === value);

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined;

const idOf = (value: unknown): number | undefined => {
  const id = Number(value);
  return value !== '' && Number.isSafeInteger(id) && id > 0 ? id : undefined;
};

/** Optional, so that URLs may omit them. */
type Maybe<T> = { [Name in keyof T]?: T[Name] | undefined };
type Given = Record<string, unknown>;

/**
 * The file whose details are shown beside the list, and the one whose preview is; and the version
 * that the details tell the origin of, if not the current one.
 */
export const shownFiles = (
  search: Given,
): Maybe<{ details: number; preview: number; origin: number }> => ({
  details: idOf(search.details),
  preview: idOf(search.preview),
  origin: idOf(search.origin),
});

type FilesView = Maybe<{
  sort: Sort;
  q: string;
  details: number;
  preview: number;
  origin: number;
}>;

export const filesView = (search: Given): FilesView => ({
  sort: sortOf(search.sort),
  q: textOf(search.q),
  ...shownFiles(search),
});

export const gallery = (search: Given): Maybe<{ q: string; category: string }> => ({
  q: textOf(search.q),
  category: textOf(search.category),
});

/** The search of the catalogue of steps. */
export const catalogueSearch = (search: Given): Maybe<{ q: string }> => ({
  q: textOf(search.q),
});

/** The step that a new one is the next version of. */
export const stepStart = (search: Given): Maybe<{ step: number }> => ({ step: idOf(search.step) });

/** Whether the step is being tried. */
export const stepView = (search: Given): Maybe<{ try: true }> => ({
  try: search.try === true ? true : undefined,
});

export const runFilters = (search: Given): Maybe<{ status: RunStatus; workflow_id: number }> => ({
  status: runStatuses.find((status) => status === search.status),
  workflow_id: idOf(search.workflow_id),
});

const runTabs = ['outputs', 'timeline'] as const;
const cellStates = ['failed', 'running', 'waiting', 'stopped', 'done'] as const;

type RunView = Maybe<{
  tab: (typeof runTabs)[number];
  show: (typeof cellStates)[number];
  q: string;
  order: 'files';
  cell: string;
  line: number;
  node: string;
}>;

/**
 * The page of a run: its tab, which files are shown in which order, the open cell as `node:lane`, the
 * line of its log, and the step that its graph shows.
 */
export const runView = (search: Given): RunView => ({
  tab: runTabs.find((tab) => tab === search.tab),
  show: cellStates.find((state) => state === search.show),
  q: textOf(search.q),
  order: search.order === 'files' ? 'files' : undefined,
  cell: textOf(search.cell),
  line: idOf(search.line),
  node: textOf(search.node),
});

type Values = Readonly<Record<string, unknown>>;

const valuesOf = (value: unknown): Values | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Values)
    : undefined;

type RunStart = Maybe<{
  workflow: number;
  version: number;
  files: string;
  variables: Values;
  until: string;
}>;

/** The preselection for a new run. `files` is a comma-separated list of ids. */
export const runStart = (search: Given): RunStart => ({
  workflow: idOf(search.workflow),
  version: idOf(search.version),
  files: textOf(search.files),
  variables: valuesOf(search.variables),
  until: textOf(search.until),
});

export const membersFound = (search: Given): Maybe<{ q: string }> => ({ q: textOf(search.q) });

/** A day as `2026-11-23`. */
const dayOf = (value: unknown): string | undefined => {
  const text = textOf(value);
  return text && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
    ? text
    : undefined;
};

const outcomes = ['done', 'failed'] as const;

type AuditFilters = Maybe<{
  user: number;
  action: string;
  outcome: (typeof outcomes)[number];
  from: string;
  to: string;
}>;

/** Who did or got it, how its action begins, how it went, and the first and last day. */
export const auditFilters = (search: Given): AuditFilters => ({
  user: idOf(search.user),
  action: textOf(search.action),
  outcome: outcomes.find((outcome) => outcome === search.outcome),
  from: dayOf(search.from),
  to: dayOf(search.to),
});
