import { applyDecorators } from '@nestjs/common';
import {
  ApiBadRequestResponse, ApiConflictResponse, ApiCreatedResponse, ApiForbiddenResponse, ApiNotFoundResponse, ApiPreconditionFailedResponse, ApiProperty,
  ApiPropertyOptional, ApiQuery, OmitType,
} from '@nestjs/swagger';
import { ANY_JSON } from '@twinyard/service-kit';
import { DEFAULT_COUNT, MAX_COUNT } from '../protocol/query';
import { ERROR_SCHEMA_ID, type ScimErrorBody } from '../protocol/scim-error';
import { USER_SCHEMA_ID } from '../schema/user-schema';
import { LIST_SCHEMA_ID } from './scim-user.resource';

class ScimNameDto {
  @ApiPropertyOptional() readonly formatted?: string;
  @ApiPropertyOptional() readonly familyName?: string;
  @ApiPropertyOptional() readonly givenName?: string;
}

class ScimEmailDto {
  @ApiProperty() readonly value: string;
  @ApiPropertyOptional() readonly display?: string;
  @ApiPropertyOptional({ example: 'work' }) readonly type?: string;
  @ApiPropertyOptional() readonly primary?: boolean;
}

class ScimMetaDto {
  @ApiProperty() readonly resourceType: string;
  @ApiProperty({ format: 'date-time' }) readonly created: string;
  @ApiProperty({ format: 'date-time' }) readonly lastModified: string;
  @ApiProperty({ format: 'uri' }) readonly location: string;
  @ApiProperty({ description: 'Also the header `ETag`' }) readonly version: string;
}

/** The attributes that the specification names; `/Schemas` lists all. */
export class ScimUserDto {
  @ApiProperty({ type: [String], example: [USER_SCHEMA_ID] }) readonly schemas: readonly string[];
  @ApiProperty({ format: 'uuid', readOnly: true }) readonly id: string;
  @ApiPropertyOptional() readonly externalId?: string;
  @ApiProperty() readonly userName: string;
  @ApiPropertyOptional() readonly displayName?: string;
  @ApiPropertyOptional({ type: ScimNameDto }) readonly name?: ScimNameDto;
  @ApiPropertyOptional({ type: [ScimEmailDto] }) readonly emails?: readonly ScimEmailDto[];
  @ApiPropertyOptional({ default: true }) readonly active?: boolean;
  @ApiPropertyOptional({ example: 'en' }) readonly locale?: string;
  @ApiProperty({ type: ScimMetaDto, readOnly: true }) readonly meta: ScimMetaDto;
}

/** As it is sent: what the service alone says may be there, and means nothing. */
export class ScimUserDraftDto extends OmitType(ScimUserDto, ['id', 'meta']) {}

export class ScimListDto {
  @ApiProperty({ type: [String], example: [LIST_SCHEMA_ID] }) readonly schemas: readonly string[];
  @ApiProperty() readonly totalResults: number;
  @ApiProperty() readonly startIndex: number;
  @ApiProperty() readonly itemsPerPage: number;
  @ApiProperty({ type: [ScimUserDto] }) readonly Resources: readonly ScimUserDto[];
}

class ScimOperationDto {
  @ApiProperty({ enum: ['add', 'replace', 'remove'], description: 'In any letter case' }) readonly op: string;
  @ApiPropertyOptional({ example: 'emails[type eq "work"].value' }) readonly path?: string;
  @ApiPropertyOptional({ anyOf: ANY_JSON, description: 'Of any JSON type' }) readonly value?: unknown;
}

export class ScimPatchDto {
  @ApiProperty({ type: [String], example: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'] }) readonly schemas: readonly string[];
  @ApiProperty({ type: [ScimOperationDto] }) readonly Operations: readonly ScimOperationDto[];
}

export class ScimSearchDto {
  @ApiPropertyOptional({ type: [String], example: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'] }) readonly schemas?: readonly string[];
  @ApiPropertyOptional() readonly filter?: string;
  @ApiPropertyOptional() readonly sortBy?: string;
  @ApiPropertyOptional({ enum: ['ascending', 'descending'] }) readonly sortOrder?: string;
  @ApiPropertyOptional() readonly startIndex?: number;
  @ApiPropertyOptional() readonly count?: number;
  @ApiPropertyOptional({ type: [String] }) readonly attributes?: readonly string[];
  @ApiPropertyOptional({ type: [String] }) readonly excludedAttributes?: readonly string[];
}

class ScimErrorDto implements ScimErrorBody {
  @ApiProperty({ type: [String], example: [ERROR_SCHEMA_ID] }) readonly schemas: readonly [typeof ERROR_SCHEMA_ID];
  @ApiPropertyOptional({ enum: ['invalidFilter', 'tooMany', 'uniqueness', 'mutability', 'invalidSyntax', 'invalidPath', 'noTarget', 'invalidValue'] })
  readonly scimType?: NonNullable<ScimErrorBody['scimType']>;
  @ApiProperty() readonly detail: string;
  @ApiProperty({ example: '400' }) readonly status: string;
}

export const ApiScimErrors = () => applyDecorators(
  ApiForbiddenResponse({ type: ScimErrorDto, description: 'Not a client\'s token with the scope `scim`' }),
);

/** For operations that change a user. */
export const ApiScimChange = () => applyDecorators(
  ApiBadRequestResponse({ type: ScimErrorDto }), ApiNotFoundResponse({ type: ScimErrorDto }),
  ApiConflictResponse({ type: ScimErrorDto, description: '`uniqueness`: somebody has the user name or the address' }),
  ApiPreconditionFailedResponse({ type: ScimErrorDto, description: '`If-Match` names another version' }),
);

export const ApiScimCreated = () => applyDecorators(
  ApiCreatedResponse({ type: ScimUserDto }), ApiBadRequestResponse({ type: ScimErrorDto }),
  ApiConflictResponse({ type: ScimErrorDto, description: '`uniqueness`: somebody has the user name or the address' }),
);

export const ApiScimSelection = () => applyDecorators(
  ApiQuery({ name: 'attributes', required: false, description: 'Comma-separated: only these, and what is always returned' }),
  ApiQuery({ name: 'excludedAttributes', required: false, description: 'Comma-separated: all but these' }),
);

export const ApiScimList = () => applyDecorators(
  ApiQuery({ name: 'filter', required: false, example: 'userName eq "bjensen@example.com"', description: 'RFC 7644 section 3.4.2.2, with every operator' }),
  ApiQuery({ name: 'sortBy', required: false }),
  ApiQuery({ name: 'sortOrder', required: false, enum: ['ascending', 'descending'] }),
  ApiQuery({ name: 'startIndex', required: false, description: 'The first user to return, counted from 1' }),
  ApiQuery({ name: 'count', required: false, description: `Users at most: ${DEFAULT_COUNT} by default, up to ${MAX_COUNT}; 0 for the total alone` }),
  ApiBadRequestResponse({ type: ScimErrorDto, description: '`invalidFilter` and others' }),
);
