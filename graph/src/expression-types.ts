/**
 * Static type checks of a `when`. Only what is wrong for every value is a fault; a value of unknown
 * type, or one that may be absent, is not.
 */
import type { Expression, ExpressionFault, Reference } from './expression-syntax.ts';

export type KnownType = 'boolean' | 'number' | 'string' | 'null' | 'unknown';
type TypeOf = (reference: Reference) => KnownType;

/** The first fault, or null. `typeOf` gives the known type of a name. */
export function typeFault(expression: Expression, typeOf: TypeOf): ExpressionFault | null {
  const faults: ExpressionFault[] = [];
  mustBeBoolean(expression, typeOf, faults);
  return faults[0] ?? null;
}

function mustBeBoolean(expression: Expression, typeOf: TypeOf, faults: ExpressionFault[]) {
  const type = judge(expression, typeOf, faults);
  if (type === 'boolean' || type === 'unknown') return;
  const column = 'column' in expression ? expression.column : 1;
  faults.push({ message: `A condition is true or false, not a ${type}.`, column });
}

function judge(expression: Expression, typeOf: TypeOf, faults: ExpressionFault[]): KnownType {
  switch (expression.kind) {
    case 'literal':
      return expression.value === null ? 'null' : (typeof expression.value as KnownType);
    case 'reference':
      return typeOf(expression);
    case 'not':
      mustBeBoolean(expression.operand, typeOf, faults);
      return 'boolean';
    case 'and':
    case 'or':
      mustBeBoolean(expression.left, typeOf, faults);
      mustBeBoolean(expression.right, typeOf, faults);
      return 'boolean';
    case 'in':
      for (const item of [expression.value, ...expression.list]) judge(item, typeOf, faults);
      return 'boolean';
    case 'compare':
      judgeComparison(expression, typeOf, faults);
      return 'boolean';
    case 'call':
      judgeCall(expression, typeOf, faults);
      return 'boolean';
  }
}

function judgeComparison(
  { operator, left, right, column }: Extract<Expression, { kind: 'compare' }>,
  typeOf: TypeOf,
  faults: ExpressionFault[],
) {
  const types = [judge(left, typeOf, faults), judge(right, typeOf, faults)];
  const known = types.filter((type) => type !== 'unknown');
  const [first, second] = known;
  if (operator === '==' || operator === '!=') {
    // Anything may be compared with null, to test for an absent value.
    const differ = first && second && first !== second && !known.includes('null');
    if (differ) faults.push({ message: `A ${first} never equals a ${second}.`, column });
    return;
  }
  const unordered = known.some((type) => type === 'boolean' || type === 'null');
  if (unordered || (first && second && first !== second)) {
    faults.push({ message: `${operator} compares two numbers or two texts.`, column });
  }
}

function judgeCall(
  { name, args, column }: Extract<Expression, { kind: 'call' }>,
  typeOf: TypeOf,
  faults: ExpressionFault[],
) {
  const types = args.map((argument) => judge(argument, typeOf, faults));
  if (types.some((type) => type !== 'string' && type !== 'unknown')) {
    faults.push({ message: `${name} takes two texts.`, column });
  }
}
