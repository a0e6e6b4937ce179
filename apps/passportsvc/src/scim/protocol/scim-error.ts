import { type ErrorCode, ServiceError } from '@twinyard/conventions';

export const ERROR_SCHEMA_ID = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** RFC 7644 section 3.12, table 9. */
export type ScimType = 'invalidFilter' | 'tooMany' | 'uniqueness' | 'mutability' | 'invalidSyntax' | 'invalidPath' | 'noTarget' | 'invalidValue';

export interface ScimErrorBody {
  readonly schemas: readonly [typeof ERROR_SCHEMA_ID];
  readonly scimType?: ScimType;
  readonly detail: string;
  /** A text, says the RFC. */
  readonly status: string;
}

/** A refusal with the keyword by which a provider's SCIM client tells it from others. */
export class ScimError extends ServiceError {
  constructor(code: ErrorCode, readonly scimType: ScimType, detail: string) {
    super(code, detail);
    this.name = 'ScimError';
  }
}

export const invalidFilter = (detail: string) => new ScimError('invalid', 'invalidFilter', `filter: ${detail}`);
export const invalidPath = (detail: string) => new ScimError('invalid', 'invalidPath', detail);
export const invalidValue = (detail: string) => new ScimError('invalid', 'invalidValue', detail);
export const invalidSyntax = (detail: string) => new ScimError('invalid', 'invalidSyntax', detail);
export const noTarget = (detail: string) => new ScimError('invalid', 'noTarget', detail);
export const notMutable = (detail: string) => new ScimError('invalid', 'mutability', detail);
/** Whose it is, and which of the two it was, stays untold: it may be somebody of another organization. */
export const notUnique = () => new ScimError('conflict', 'uniqueness', 'There is a user with this user name or e-mail address already');

export const toScimErrorBody = (status: number, detail: string, scimType?: ScimType): ScimErrorBody =>
  ({ schemas: [ERROR_SCHEMA_ID], ...(scimType && { scimType }), detail, status: String(status) });
