import { type FieldIssue, invalidFields } from '@twinyard/conventions';
import { z } from 'zod';
import type { Component, ParamsSchema } from './component';

/** What an orchestrator and a run give to a step, as it came. */
export type StepParams = Readonly<Record<string, unknown>>;

type Described = Pick<Component, 'params' | 'faultsOf' | 'conflictsOf'>;

/** A text parameter that must be there. */
export const text = (description: string, more: z.core.GlobalMeta = {}) => z.string().meta({ description, ...more });

/** What is wrong with parameters that a run is to have. */
export function faultsOfParams(component: Described, params: StepParams): FieldIssue[] {
  const parsed = parse(component.params, params);
  if (!parsed.success) return parsed.error.issues.map(toFault);
  return [...(component.conflictsOf?.(parsed.data) ?? []), ...(component.faultsOf?.(parsed.data) ?? [])];
}

/** What is wrong with some of the parameters: a run may bring those that are missing. */
export function faultsOfSomeParams(component: Described, params: StepParams): FieldIssue[] {
  const parsed = parse(component.params.partial(), params);
  return parsed.success ? (component.conflictsOf?.(parsed.data) ?? []) : parsed.error.issues.map(toFault);
}

/** With their defaults. @throws ServiceError `invalid`, with every fault */
export function readParams<S extends ParamsSchema>(component: Described & { readonly params: S }, params: StepParams): z.output<S> {
  const faults = faultsOfParams(component, params);
  if (faults.length > 0) throw invalidFields(faults);
  return component.params.parse(given(params));
}

/** `null` and an empty text say nothing. */
const given = (params: StepParams) => Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== ''));

const parse = (schema: ParamsSchema, params: StepParams) => schema.safeParse(given(params), { error: wordsOf });

const toFault = ({ path, message }: z.core.$ZodIssue): FieldIssue => ({ field: path.map(String).join('.'), issue: message });

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text', number: 'a number', int: 'a whole number', boolean: 'true or false', array: 'an array', object: 'an object', record: 'an object',
};

/** Where the schema itself has no words. */
function wordsOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_type') return `must be ${KINDS[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small') return `must ${isNumber(issue) ? 'be' : 'have'} ${issue.minimum} at least`;
  if (issue.code === 'too_big') return `must ${isNumber(issue) ? 'be' : 'have'} ${issue.maximum} at most`;
  return undefined;
}

const isNumber = ({ origin }: { readonly origin: string }) => ['number', 'int'].includes(origin);
