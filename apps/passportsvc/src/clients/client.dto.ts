import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { toMetadata } from '@twinyard/conventions';
import { MetadataDto, pageOf } from '@twinyard/service-kit';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsBoolean, IsIn, IsOptional, IsString, IsUUID, Length } from 'class-validator';
import type { ClientEntity } from './client.entity';

/** Scopes that a client can be given. */
export const CLIENT_SCOPES = ['read', 'write', 'scim', 'download-secrets'] as const;

export class ClientDto {
  @ApiProperty()
  client_id: string;

  @ApiProperty()
  @IsString()
  @Length(1, 128)
  _name: string;

  @ApiPropertyOptional({ format: 'uuid' })
  @IsOptional()
  @IsUUID()
  _orgId?: string;

  @ApiProperty({ enum: CLIENT_SCOPES, isArray: true, description: 'The most that its tokens can ask for' })
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(CLIENT_SCOPES.length)
  @IsIn(CLIENT_SCOPES, { each: true })
  _scopes: string[];

  @ApiPropertyOptional({ description: 'Trusted clients may download secrets', default: false })
  @IsOptional()
  @IsBoolean()
  _trusted: boolean;

  @ApiProperty({ type: MetadataDto })
  _metadata: MetadataDto;
}

export const ClientPageDto = pageOf(ClientDto);

export class CreateClientDto extends PickType(ClientDto, ['_name', '_orgId', '_scopes', '_trusted'] as const) {}

export class ClientWithSecretDto extends ClientDto {
  @ApiProperty({ description: 'Shown this once' })
  client_secret: string;
}

export const toClientDto = (client: ClientEntity): ClientDto => ({
  client_id: client.id,
  _name: client.name,
  ...(client.orgId !== null && { _orgId: client.orgId }),
  _scopes: client.scopes,
  _trusted: client.trusted,
  _metadata: toMetadata(client),
});
