import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PermissionDto, SubresourceDescDto } from '@twinyard/auth';
import {
  type Action, ACTIONS, type FieldIssue, invalidField,
  invalidFields, IRN_PATTERN, parseIrn, type ResourceCriteria, ServiceError, type SubresourceDesc,
} from '@twinyard/conventions';
import { isScalar, isSubresource, SUBRESOURCE_FORM } from './permission.dto';
import type { PermissionQuestion } from './permission-checks.service';
import type { PrincipalRef } from './permissions.repository';

class CheckedPrincipalDto {
  @ApiProperty({ enum: ['user', 'client', 'usergroup', 'permprofile'] }) readonly _type: PrincipalRef['type'];
  @ApiProperty() readonly _id: string;
}

export class PermissionQuestionDto {
  @ApiProperty({ example: 'filesvc:file:*', pattern: IRN_PATTERN.source, description: 'One resource, or all of a type with `*`' })
  readonly _irn: string;

  @ApiProperty({ enum: ACTIONS })
  readonly _action: Action;

  @ApiProperty({ minLength: 1, example: 'house_a1B2c3D4' })
  readonly _namespace: string;

  @ApiPropertyOptional({ type: CheckedPrincipalDto, description: 'Somebody else: for the owner of the namespace only' })
  readonly _user?: CheckedPrincipalDto;

  @ApiPropertyOptional({ type: Object, description: '`_itemClass` and `_userType` of the item, for grants that are narrowed by them' })
  readonly _criteria?: ResourceCriteria;

  @ApiPropertyOptional({ type: SubresourceDescDto, description: 'Not the collection itself, but related items of it with these values' })
  readonly _subresourceDesc?: SubresourceDesc;
}

class ReasonDto extends PermissionDto {
  @ApiPropertyOptional({ type: CheckedPrincipalDto, description: 'The group that holds the permission and that the user is in' })
  readonly _through?: CheckedPrincipalDto;
}

export class PermissionAnswerDto extends PermissionQuestionDto {
  @ApiProperty() readonly _allowed: boolean;
  @ApiProperty({ type: [ReasonDto], description: 'Every permission that allows it; empty when nothing does' }) readonly _because: ReasonDto[];
}

type Fields = Readonly<Record<string, unknown>>;
const PRINCIPALS = ['user', 'client', 'usergroup', 'permprofile'];
const MAX_QUESTIONS = 1_000;

/** @throws ServiceError `invalid` that names every fault of every question. */
export function parseQuestions(body: unknown): PermissionQuestion[] {
  if (!Array.isArray(body) || body.length > MAX_QUESTIONS) throw invalidField('body', `must be an array of at most ${MAX_QUESTIONS} questions`);
  const issues = body.flatMap((entry: unknown, index) => faultsOf(isFields(entry) ? entry : {}).map(({ field, issue }) => ({ field: `[${index}].${field}`, issue })));
  if (issues.length > 0) throw invalidFields(issues);
  return body.map((entry: Fields) => ({ asked: withoutNull(entry) as unknown as PermissionQuestionDto, irn: parseIrn(String(entry['_irn'])) }));
}

/** What need not be sent may be sent as null; the answer says again what was asked. */
const withoutNull = (entry: Fields): Fields => Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));

function faultsOf(entry: Fields): FieldIssue[] {
  const checks: readonly [field: string, fine: boolean, issue: string][] = [
    ['_irn', isIrn(entry['_irn']), 'must have the form <service>:<resource type>:<id>'],
    ['_action', (ACTIONS as readonly unknown[]).includes(entry['_action']), `must be one of ${ACTIONS.join(', ')}`],
    ['_namespace', typeof entry['_namespace'] === 'string' && entry['_namespace'] !== '', 'is required'],
    ['_user', isPrincipal(entry['_user']), `must have a _type of ${PRINCIPALS.join(', ')} and an _id`],
    ['_subresourceDesc', entry['_subresourceDesc'] == null || isSubresource(entry['_subresourceDesc'], isScalarOrList), SUBRESOURCE_FORM],
    ['_criteria', entry['_criteria'] == null || isFields(entry['_criteria']), 'must be an object'],
  ];
  return checks.filter(([, fine]) => !fine).map(([field, , issue]) => ({ field, issue }));
}

const isPrincipal = (user: unknown): boolean =>
  user == null || (isFields(user) && PRINCIPALS.includes(String(user['_type'])) && typeof user['_id'] === 'string');

/** What an item holds: an array meets a criterion by any of its elements. */
const isScalarOrList = (value: unknown) => [value].flat().every(isScalar);

const isFields = (value: unknown): value is Fields => value !== null && typeof value === 'object' && !Array.isArray(value);

function isIrn(value: unknown): boolean {
  try {
    return typeof value === 'string' && parseIrn(value) !== undefined;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
