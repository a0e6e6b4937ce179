import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { toMetadata } from '@twinyard/conventions';
import { MetadataDto, pageOf } from '@twinyard/service-kit';
import { ArrayNotEmpty, IsArray, IsNotEmpty, IsOptional, IsString, MaxLength, ValidateBy } from 'class-validator';
import { type SecretEntity, secretIrn } from './secret.entity';
import type { SecretChanges, SecretDraft } from './secrets.service';

const MAX_VALUE_BYTES = 65_536;

/** Never empty: who empties the field of a form does not mean to throw the secret away. */
const IsSecretValue = () =>
  ValidateBy({
    name: 'isSecretValue',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= MAX_VALUE_BYTES,
      defaultMessage: () => `must be a text of 1 to ${MAX_VALUE_BYTES} bytes`,
    },
  });

export class CreateSecretDto {
  @ApiProperty({ description: 'Unique in each of its namespaces' })
  @IsString() @IsNotEmpty() @MaxLength(255)
  _name: string;

  @ApiProperty({ writeOnly: true, minLength: 1, maxLength: MAX_VALUE_BYTES, description: 'Any text of 1 to 65,536 bytes in UTF-8. It is answered as ciphertext, and told to trusted clients alone' })
  @IsSecretValue()
  _value: string;

  @ApiPropertyOptional()
  @IsOptional() @IsString() @MaxLength(10_000)
  _description?: string;

  @ApiPropertyOptional()
  @IsOptional() @IsString() @MaxLength(255)
  _userType?: string;

  @ApiPropertyOptional({ type: [String], description: 'Without it: those of nsfilter' })
  @IsOptional() @IsArray() @ArrayNotEmpty() @IsString({ each: true })
  _namespaces?: string[];
}

/** What is not sent, or sent as null, stays as it is. */
export class UpdateSecretDto {
  @ApiPropertyOptional()
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(255)
  _name?: string;

  @ApiPropertyOptional({ minLength: 1, description: 'A new text, or any ciphertext that was read of this very secret: then its value stays' })
  @IsOptional() @IsSecretValue()
  _value?: string;

  @ApiPropertyOptional()
  @IsOptional() @IsString() @MaxLength(10_000)
  _description?: string;

  @ApiPropertyOptional()
  @IsOptional() @IsString() @MaxLength(255)
  _userType?: string;

  @ApiPropertyOptional({ type: [String] })
  @IsOptional() @IsArray() @ArrayNotEmpty() @IsString({ each: true })
  _namespaces?: string[];
}

export class SecretDto {
  @ApiProperty({ format: 'uuid' }) readonly _id: string;
  @ApiProperty({ example: 'passportsvc:secret:<_id>' }) readonly _irn: string;
  @ApiProperty() readonly _name: string;
  @ApiProperty({ description: 'Ciphertext: `ty1.<key>.<secret>.<text>`, base64url but for the first part. In a download the plain text' }) readonly _value: string;
  @ApiProperty() readonly _description: string;
  @ApiPropertyOptional() readonly _userType?: string;
  @ApiProperty({ type: [String] }) readonly _namespaces: readonly string[];
  @ApiProperty({ type: MetadataDto }) readonly _metadata: MetadataDto;
}

export const SecretPageDto = pageOf(SecretDto);

export const toSecretDraft = (dto: CreateSecretDto): SecretDraft => ({
  name: dto._name,
  value: dto._value,
  description: dto._description ?? '',
  userType: dto._userType ?? null,
  ...(dto._namespaces != null && { namespaces: dto._namespaces }),
});

export const toSecretChanges = (dto: UpdateSecretDto): SecretChanges => ({
  ...(dto._name != null && { name: dto._name }),
  ...(dto._value != null && { value: dto._value }),
  ...(dto._description != null && { description: dto._description }),
  ...(dto._userType != null && { userType: dto._userType }),
  ...(dto._namespaces != null && { namespaces: dto._namespaces }),
});

export const toSecretDto = (secret: SecretEntity): SecretDto => withValue(secret, secret.sealed);

/** For a download alone. */
export const toOpenedSecretDto = ({ secret, value }: { readonly secret: SecretEntity; readonly value: string }): SecretDto => withValue(secret, value);

const withValue = (secret: SecretEntity, value: string): SecretDto => ({
  _id: secret.id,
  _irn: secretIrn(secret.id),
  _name: secret.name,
  _value: value,
  _description: secret.description,
  ...(secret.userType !== null && { _userType: secret.userType }),
  _namespaces: secret.namespaces,
  _metadata: toMetadata(secret),
});
