import { type FieldIssue, invalidFields } from '@twinyard/conventions';
import type { z } from 'zod';

/** What a script has asked, as the schema has it. @throws ServiceError `invalid`, with all faults and their places */
export function parseAsked<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const { success, data, error } = schema.safeParse(input);
  if (success) return data;
  throw invalidFields(error.issues.map(toFault));
}

const toFault = ({ path, message }: z.core.$ZodIssue): FieldIssue => ({ field: path.join('.'), issue: message });
