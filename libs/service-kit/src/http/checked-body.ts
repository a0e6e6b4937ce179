import type { PipeTransform } from '@nestjs/common';
import { type FieldIssue, invalidFields } from '@twinyard/conventions';
import type { z } from 'zod';

/**
 * `@Body(new CheckedBody(schema))`, for what one service tells another: a plain record that is no DTO is looked at all the same. Fields that the schema
 * does not know are left out, since a later version may send more. @throws ServiceError `invalid`, with every bad field
 */
export class CheckedBody implements PipeTransform<unknown> {
  constructor(private readonly schema: z.ZodType) {}

  transform(body: unknown): unknown {
    const parsed = this.schema.safeParse(body ?? {});
    if (parsed.success) return parsed.data;
    const details: FieldIssue[] = parsed.error.issues.map(({ path, message }) => ({ field: path.map(String).join('.') || 'body', issue: message }));
    throw invalidFields(details);
  }
}
