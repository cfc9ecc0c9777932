/** The header `If` (RFC 4918, section 10.4): conditions on locks and contents. Pure. */
import { invalid } from '../../errors.ts';

export type Condition = { negated: boolean } & ({ token: string } | { etag: string });

/** Conditions that all have to hold, of the resource at `url` or, without one, of the request's. */
export type ConditionList = { url: string | undefined; conditions: Condition[] };

/** What a resource is compared with: the tokens of the locks that apply to it, and its ETag. */
export type State = { tokens: readonly string[]; etag: string | undefined };

/** More than any client sends; each URL costs a look-up. */
const mostConditions = 100;
export const mostUrls = 10;

const part = /\s*(?:<([^<>]*)>|(\()|(\))|\[((?:W\/)?"[^"]*")\]|(Not)\b)/iy;

/** @throws DomainError 400 */
export function readIf(header: string): ConditionList[] {
  const lists: ConditionList[] = [];
  let url: string | undefined;
  let open: ConditionList | undefined;
  let negated = false;
  let at = 0;
  const isWhole = () => open === undefined && !negated && lists.length > 0;
  while (header.slice(at).trim() !== '') {
    part.lastIndex = at;
    const match = part.exec(header);
    if (!match) throw malformed();
    at = part.lastIndex;
    const [, address, opens, closes, etag, not] = match;
    if (opens && !open) {
      open = { url, conditions: [] };
      lists.push(open);
    } else if (closes && open && open.conditions.length > 0 && !negated) open = undefined;
    else if (not && open && !negated) negated = true;
    else if (address !== undefined && !open) url = address;
    else if (open && (address !== undefined || etag !== undefined)) {
      open.conditions.push({
        negated,
        ...(etag === undefined ? { token: address ?? '' } : { etag }),
      });
      negated = false;
    } else throw malformed();
  }
  if (!isWhole()) throw malformed();
  if (lists.reduce((sum, { conditions }) => sum + conditions.length, 0) > mostConditions) {
    throw invalid('The header If has too many conditions.');
  }
  if (urlsIn(lists).length > mostUrls) throw invalid('The header If names too many resources.');
  return lists;
}

const malformed = () => invalid('The header If is malformed.');

/** The distinct URLs that the lists name. */
export const urlsIn = (lists: readonly ConditionList[]): string[] => [
  ...new Set(lists.flatMap(({ url }) => url ?? [])),
];

/** All tokens that the client knows of. */
export const tokensIn = (lists: readonly ConditionList[]): string[] =>
  lists.flatMap(({ conditions }) =>
    conditions.flatMap((condition) => ('token' in condition ? condition.token : [])),
  );

/** Whether one of the lists holds. */
export const holds = (
  lists: readonly ConditionList[],
  stateOf: (url: string | undefined) => State,
): boolean =>
  lists.some(({ url, conditions }) => {
    const { tokens, etag } = stateOf(url);
    return conditions.every(
      (condition) =>
        condition.negated !==
        ('token' in condition ? tokens.includes(condition.token) : condition.etag === etag),
    );
  });
