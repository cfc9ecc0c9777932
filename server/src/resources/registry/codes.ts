/** The codes of the distribution specification for errors that come from elsewhere. Pure. */
import type { DomainError, Problem } from '../../errors.ts';

const codes: Partial<Record<Problem, string>> = {
  unauthenticated: 'UNAUTHORIZED',
  forbidden: 'DENIED',
  not_found: 'NAME_UNKNOWN',
  method_not_allowed: 'UNSUPPORTED',
  too_large: 'SIZE_INVALID',
  too_many_requests: 'TOOMANYREQUESTS',
  range_not_satisfiable: 'RANGE_INVALID',
  storage_full: 'STORAGE_FULL',
  unavailable: 'UNAVAILABLE',
};

/** The body of an answer: one error. */
export const bodyOf = ({ problem, code, message }: DomainError) => ({
  errors: [{ code: codeOf(problem, code), message }],
});

/** Codes in capitals are the registry's own (faults.ts). */
function codeOf(problem: Problem, code: string | undefined): string {
  if (code !== undefined && /^[A-Z_]+$/.test(code)) return code;
  return codes[problem] ?? (code ?? problem).toUpperCase();
}
