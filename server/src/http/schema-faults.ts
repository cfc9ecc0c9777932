/** What a schema's validator found, as the faults that an answer tells. */
import { type DomainError, type FieldFault, mostFaults, unprocessableFor } from '../errors.ts';

export type SchemaFault = {
  keyword: string;
  instancePath: string;
  message?: string;
  params: Record<string, unknown>;
};

/** @param where `body`, `params`, `querystring` or `headers`. */
export function schemaError(where: string, faults: readonly SchemaFault[]): DomainError {
  const told = faults.slice(0, mostFaults).map((fault) => fieldFault(where, fault));
  return unprocessableFor(told, faults.length - told.length);
}

function fieldFault(where: string, fault: SchemaFault): FieldFault {
  const path = fault.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const named = fault.params.missingProperty ?? fault.params.additionalProperty;
  const loc = [where === 'querystring' ? 'query' : where === 'params' ? 'path' : where, ...path];
  if (typeof named === 'string') loc.push(named);
  return { loc, msg: faultMessage(fault), type: fault.keyword };
}

function faultMessage(fault: SchemaFault) {
  if (fault.keyword === 'required') return 'This field is required.';
  if (fault.keyword === 'additionalProperties') return 'This field is not known here.';
  if (fault.keyword === 'enum') {
    return `Must be one of: ${(fault.params.allowedValues as unknown[]).join(', ')}.`;
  }
  if (fault.keyword === 'const') return `Must be ${fault.params.allowedValue}.`;
  const message = fault.message ?? 'is not valid';
  return `${message[0]?.toUpperCase()}${message.slice(1)}.`;
}
