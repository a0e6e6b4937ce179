import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { pageOf } from '@twinyard/service-kit';
import { IsArray, IsIn, IsNotEmpty, IsOptional, IsString, MaxLength, ValidateBy } from 'class-validator';
import { RecordDto, toRecordDto } from '../namespaces/record.dto';
import { isOrigin, isRedirectUri, toEntries, toOrigin, toText } from './app-addresses';
import { type AppEntity, type LimitValues, RESPONSE_MODES, type ResponseMode } from './app.entity';
import type { AppChanges, AppDraft } from './apps.service';

const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials', 'implicit'];

/** A comma-separated text, or an array, all entries of which pass the test. */
const EachEntry = (name: string, passes: (entry: string) => boolean, message: string) =>
  ValidateBy({ name, validator: { validate: (value: unknown) => isEntries(value) && toEntries(value).every(passes), defaultMessage: () => message } });

const isEntries = (value: unknown): value is string | string[] =>
  typeof value === 'string' || (Array.isArray(value) && value.every((entry) => typeof entry === 'string'));

export class CreateAppDto {
  @ApiProperty()
  @IsString() @IsNotEmpty() @MaxLength(255)
  _name: string;

  @ApiProperty({ description: 'The organization that the application is made in' })
  @IsString() @IsNotEmpty()
  _orgId: string;

  @ApiPropertyOptional({ description: '`_name` without it; what its namespace begins with' })
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(255)
  _shortName?: string;

  @ApiPropertyOptional()
  @IsOptional() @IsString() @MaxLength(10_000)
  _description?: string;

  @ApiPropertyOptional()
  @IsOptional() @IsString() @MaxLength(255)
  _userType?: string;

  @ApiPropertyOptional({ description: 'E-mail address or user id of the owner; the caller without it' })
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(320)
  _appOwner?: string;

  @ApiPropertyOptional({ type: String, description: 'Comma-separated; an array is accepted, whose URIs may hold commas' })
  @IsOptional() @EachEntry('isRedirectUris', isRedirectUri, 'must hold absolute URIs without fragments and wildcards')
  _redirectUris?: string | string[];

  @ApiPropertyOptional({ type: String, description: 'Where a browser may be sent after `end_session`; compared exactly. Comma-separated; an array is accepted, whose URIs may hold commas' })
  @IsOptional() @EachEntry('isPostLogoutRedirectUris', isRedirectUri, 'must hold absolute URIs without fragments and wildcards')
  _postLogoutRedirectUris?: string | string[];

  @ApiPropertyOptional({ type: String, description: 'Comma-separated; an array is accepted' })
  @IsOptional() @EachEntry('isOrigins', isOrigin, 'must hold origins such as https://app.example.com')
  _authorizedOrigins?: string | string[];

  @ApiPropertyOptional({ type: String, description: `Comma-separated, of ${GRANT_TYPES.join(', ')}` })
  @IsOptional() @EachEntry('isGrantTypes', (entry) => GRANT_TYPES.includes(entry), `must be of ${GRANT_TYPES.join(', ')}`)
  _authorizedGrantTypes?: string | string[];

  @ApiPropertyOptional({ enum: RESPONSE_MODES, description: 'How authorization codes are delivered when the request does not say' })
  @IsOptional() @IsIn(RESPONSE_MODES)
  _responseMode?: ResponseMode;

  @ApiPropertyOptional({ type: [String], description: 'Applications whose tokens may be exchanged for those of this one' })
  @IsOptional() @IsArray() @IsString({ each: true })
  _whitelistedApps?: string[];

  @ApiPropertyOptional()
  @IsOptional() @IsString() @MaxLength(2_000)
  _home?: string;

  @ApiPropertyOptional()
  @IsOptional() @IsString() @MaxLength(255)
  _loginTheme?: string;
}

export class UpdateAppDto extends PartialType(CreateAppDto) {}

const COMMAS = 'Comma-separated; a comma inside a URI is `%2C`. Sent back like that it stays as it is registered';

export class AppDto extends RecordDto {
  @ApiPropertyOptional({ format: 'uuid' })
  readonly _orgId?: string;

  @ApiProperty({ type: String, nullable: true, description: 'Id of the owner, or the address of one who has no account yet' })
  readonly _appOwner: string | null;

  @ApiProperty({ description: COMMAS })
  readonly _redirectUris: string;

  @ApiProperty({ description: COMMAS })
  readonly _postLogoutRedirectUris: string;

  @ApiProperty({ description: 'Comma-separated' })
  readonly _authorizedOrigins: string;

  @ApiProperty({ description: 'Comma-separated' })
  readonly _authorizedGrantTypes: string;

  @ApiProperty({ enum: RESPONSE_MODES })
  readonly _responseMode: ResponseMode;

  @ApiProperty({ type: [String] })
  readonly _whitelistedApps: string[];

  @ApiPropertyOptional()
  readonly _home?: string;

  @ApiPropertyOptional()
  readonly _loginTheme?: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'integer' }, description: 'Its limits, with `withConfigs`' })
  readonly _configs?: LimitValues;
}

export const AppPageDto = pageOf(AppDto);

const PLAIN = { _name: 'name', _shortName: 'shortName', _description: 'description', _userType: 'userType', _responseMode: 'responseMode', _whitelistedApps: 'whitelistedApps', _home: 'home', _loginTheme: 'loginTheme' } as const;

/** What is not sent, or sent as null, stays as it is. */
export function toAppChanges(dto: UpdateAppDto): AppChanges {
  const sent = Object.entries(PLAIN).flatMap(([wire, field]) => (dto[wire as keyof typeof PLAIN] == null ? [] : [[field, dto[wire as keyof typeof PLAIN]]]));
  return {
    ...(Object.fromEntries(sent) as AppChanges),
    ...(dto._redirectUris != null && { redirectUris: toEntries(dto._redirectUris) }),
    ...(dto._postLogoutRedirectUris != null && { postLogoutRedirectUris: toEntries(dto._postLogoutRedirectUris) }),
    ...(dto._authorizedOrigins != null && { authorizedOrigins: toEntries(dto._authorizedOrigins).map(toOrigin) }),
    ...(dto._authorizedGrantTypes != null && { authorizedGrantTypes: toEntries(dto._authorizedGrantTypes) }),
  };
}

export const toAppDraft = (dto: CreateAppDto): AppDraft => ({
  ...toAppChanges(dto), name: dto._name, shortName: dto._shortName ?? dto._name, orgId: dto._orgId, ...(dto._appOwner != null && { owner: dto._appOwner }),
});

export const toAppRecord = (app: AppEntity): AppDto => ({
  ...toRecordDto('app', app),
  ...(app.orgId !== null && { _orgId: app.orgId }),
  _appOwner: app.ownerId ?? app.pendingOwnerEmail,
  _redirectUris: toText(app.redirectUris),
  _postLogoutRedirectUris: toText(app.postLogoutRedirectUris),
  _authorizedOrigins: toText(app.authorizedOrigins),
  _authorizedGrantTypes: toText(app.authorizedGrantTypes),
  _responseMode: app.responseMode,
  _whitelistedApps: app.whitelistedApps,
  ...(app.home !== null && { _home: app.home }),
  ...(app.loginTheme !== null && { _loginTheme: app.loginTheme }),
});

/** `withConfigs`: the limits of the application beside the record. */
export const toAppRecordWithConfigs = (app: AppEntity): AppDto => ({ ...toAppRecord(app), _configs: app.configuration ?? {} });
