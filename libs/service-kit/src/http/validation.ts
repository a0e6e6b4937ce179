import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import { type FieldIssue, invalid, invalidField, type ServiceError, toldTogether } from '@twinyard/conventions';
import type { ValidationError } from 'class-validator';

class BodyValidation extends ValidationPipe {
  /** Nest takes `null` for an empty object; a body that is not sent may well be one. */
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (value === null && metadata.type === 'body') throw invalidField('body', 'must be an object');
    return super.transform(value, metadata) as unknown;
  }
}

/**
 * Turns bodies into DTO classes and names every bad field at once. Fields that no DTO knows are left alone: clients send
 * whole records back (contract 0.1), and mappers read only what they know.
 */
export const validation = new BodyValidation({
  transform: true,
  whitelist: false,
  forbidUnknownValues: false,
  stopAtFirstError: false,
  exceptionFactory: (errors) => toInvalid(errors),
});

export function toInvalid(errors: readonly ValidationError[]): ServiceError {
  const details = errors.flatMap((error) => issuesOf(error, ''));
  return invalid(toldTogether(details) || 'The request is malformed', details);
}

function issuesOf(error: ValidationError, prefix: string): FieldIssue[] {
  const field = joinPath(prefix, error.property);
  const own = faultsOf(error).map((issue) => ({ field, issue }));
  return [...own, ...(error.children ?? []).flatMap((child) => issuesOf(child, field))];
}

/** What is not there is of no type, of no length and of no form, and each rule would say so. */
function faultsOf({ value, property, constraints = {} }: ValidationError): string[] {
  const faults = Object.values(constraints).map((issue) => withoutName(issue, property));
  const isMissing = value === undefined || value === null;
  return isMissing && faults.length > 0 ? ['is required'] : faults;
}

const joinPath = (prefix: string, property: string) => {
  if (/^\d+$/.test(property)) return `${prefix}[${property}]`;
  return prefix === '' ? property : `${prefix}.${property}`;
};

const withoutName = (issue: string, property: string) => (issue.startsWith(`${property} `) ? issue.slice(property.length + 1) : issue);
