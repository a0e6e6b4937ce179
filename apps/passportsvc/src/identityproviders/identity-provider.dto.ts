import { ApiProperty, ApiPropertyOptional, OmitType, PartialType, PickType } from '@nestjs/swagger';
import { hostNameOf, toMetadata } from '@twinyard/conventions';
import { IsHostName, MetadataDto, pageOf } from '@twinyard/service-kit';
import { ArrayMaxSize, IsArray, IsBoolean, IsNotEmpty, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import type { IdentityProviderEntity } from './identity-provider.entity';
import type { ProviderChanges, ProviderDraft } from './provider-draft';

/** RFC 6749 section 3.3. */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]{1,128}$/;
export const DEFAULT_SCOPES = ['openid', 'profile', 'email'];

export class IdentityProviderDto {
  @ApiProperty({ format: 'uuid' })
  readonly _id: string;

  @ApiProperty({ description: 'Unique in the organization; stands on the button of the sign-in page' })
  @IsString() @IsNotEmpty() @MaxLength(100)
  readonly _name: string;

  @ApiProperty({ format: 'uri', example: 'https://login.example.com', description: 'OpenID Connect issuer. Another one, later, ends the connections that there are' })
  @IsString() @MaxLength(1_000)
  readonly _issuer: string;

  @ApiProperty({ description: 'The `client_id` that the issuer knows us by' })
  @IsString() @IsNotEmpty() @MaxLength(500)
  readonly _clientId: string;

  @ApiProperty({ type: [String], description: 'What is asked for at the issuer; `openid` always' })
  @IsOptional() @IsArray() @ArrayMaxSize(30) @Matches(SCOPE, { each: true, message: 'must be scopes' })
  readonly _scopes: string[];

  @ApiProperty({ type: [String], description: 'Domains of e-mail addresses. When there are any, other addresses are refused; typing one on the sign-in page leads here once the provider is trusted' })
  @IsOptional() @IsArray() @ArrayMaxSize(100) @IsHostName({ each: true, message: 'must be domains such as `example.com`' })
  readonly _domains: string[];

  @ApiProperty({ description: 'Whether an account is made for somebody who has none' })
  @IsOptional() @IsBoolean()
  readonly _provision: boolean;

  @ApiProperty({ description: 'Whether the addresses that it has verified are believed. A platform manager alone sets it; somebody else\'s new `_issuer` or `_domains` take it away' })
  @IsOptional() @IsBoolean()
  readonly _trusted: boolean;

  @ApiProperty({ description: 'To be registered at the issuer' })
  readonly _redirectUri: string;

  @ApiPropertyOptional({ format: 'uuid', description: 'The group of the organization that people join when they sign in through it for the first time' })
  readonly _usergroupId?: string;

  @ApiProperty({ type: MetadataDto })
  readonly _metadata: MetadataDto;
}

export const IdentityProviderPageDto = pageOf(IdentityProviderDto);

export class CreateIdentityProviderDto extends PickType(IdentityProviderDto, ['_name', '_issuer', '_clientId'] as const) {
  @ApiPropertyOptional({ description: 'Kept encrypted and never told again. Without it the issuer knows a public client; in a PUT it stays when it is left out, and an empty one removes it' })
  @IsOptional() @IsString() @MaxLength(2_000)
  readonly _clientSecret?: string;

  @ApiPropertyOptional({ type: [String], default: DEFAULT_SCOPES, description: 'What is asked for at the issuer; `openid` always' })
  @IsOptional() @IsArray() @ArrayMaxSize(30) @Matches(SCOPE, { each: true, message: 'must be scopes' })
  readonly _scopes?: string[];

  @ApiPropertyOptional({ type: [String], default: [] })
  @IsOptional() @IsArray() @ArrayMaxSize(100) @IsHostName({ each: true, message: 'must be domains such as `example.com`' })
  readonly _domains?: string[];

  @ApiPropertyOptional({ default: false })
  @IsOptional() @IsBoolean()
  readonly _provision?: boolean;

  @ApiPropertyOptional({ description: 'Heard from a platform manager alone, whose own providers are trusted unless this is false' })
  @IsOptional() @IsBoolean()
  readonly _trusted?: boolean;
}

export class UpdateIdentityProviderDto extends PartialType(OmitType(CreateIdentityProviderDto, [] as const)) {}

export const toProviderDraft = (dto: CreateIdentityProviderDto): ProviderDraft => ({
  scopes: DEFAULT_SCOPES, domains: [], provision: false, secret: '', ...toProviderChanges(dto), name: dto._name, issuer: dto._issuer.trim(), clientId: dto._clientId,
});

/** What is not sent, or sent as null, stays as it is. */
export const toProviderChanges = (dto: UpdateIdentityProviderDto): ProviderChanges => ({
  ...(dto._name != null && { name: dto._name }),
  ...(dto._issuer != null && { issuer: dto._issuer.trim() }),
  ...(dto._clientId != null && { clientId: dto._clientId }),
  ...(dto._clientSecret != null && { secret: dto._clientSecret }),
  ...(dto._scopes != null && { scopes: [...new Set(['openid', ...dto._scopes])] }),
  ...(dto._domains != null && { domains: [...new Set(dto._domains.map((domain) => hostNameOf(domain) as string))] }),
  ...(dto._provision != null && { provision: dto._provision }),
  ...(dto._trusted != null && { trusted: dto._trusted }),
});

export const toProviderRecord = (provider: IdentityProviderEntity, redirectUri: string): IdentityProviderDto => ({
  _id: provider.id,
  _name: provider.name,
  _issuer: provider.issuer,
  _clientId: provider.clientId,
  _scopes: provider.scopes,
  _domains: provider.domains,
  _provision: provider.provision,
  _trusted: provider.trusted,
  _redirectUri: redirectUri,
  ...(provider.groupId !== null && { _usergroupId: provider.groupId }),
  _metadata: toMetadata(provider),
});
