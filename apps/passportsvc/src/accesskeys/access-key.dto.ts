import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { pageOf } from '@twinyard/service-kit';
import { ArrayMinSize, IsArray, IsIn, IsInt, IsNotEmpty, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import type { AccessKey } from './access-keys.repository';
import { KEY_NAME_LENGTH } from './access-keys.service';

const KEY_SCOPES = ['read', 'write'] as const;

/** The last instant that a JavaScript date can hold. */
const LAST_TIME = 8.64e15;

export class CreateAccessKeyDto {
  @ApiProperty({ description: 'What it is for' })
  @IsString() @IsNotEmpty() @MaxLength(KEY_NAME_LENGTH)
  _name: string;

  @ApiPropertyOptional({ description: 'Epoch milliseconds after which it is of no use; none: until it is deleted' })
  @IsOptional() @IsInt() @Min(0) @Max(LAST_TIME)
  _expireTime?: number;

  @ApiPropertyOptional({ enum: KEY_SCOPES, isArray: true, description: 'What its tokens may do: at most what the token may that makes it, and as much if it is not said' })
  @IsOptional() @IsArray() @ArrayMinSize(1) @IsIn(KEY_SCOPES, { each: true })
  _scopes?: string[];
}

export class AccessKeyDto {
  @ApiProperty({ format: 'uuid' }) readonly _id: string;
  @ApiProperty() readonly _name: string;
  @ApiProperty({ enum: KEY_SCOPES, isArray: true }) readonly _scopes: readonly string[];
  @ApiPropertyOptional({ description: 'Epoch milliseconds' }) readonly _expireTime?: number;
  @ApiProperty({ description: 'Epoch milliseconds' }) readonly _createdAt: number;
}

export class NewAccessKeyDto extends AccessKeyDto {
  @ApiProperty({ description: 'Told this once. With `_id` as HTTP Basic on `POST /auth/token` it gives tokens of the user' })
  readonly _secret: string;
}

export const AccessKeyPageDto = pageOf(AccessKeyDto);

export const toAccessKeyRecord = ({ id, name, scopes, expiresAt, createdAt }: AccessKey): AccessKeyDto => ({
  _id: id, _name: name, _scopes: scopes, ...(expiresAt !== null && { _expireTime: expiresAt.getTime() }), _createdAt: createdAt.getTime(),
});
