import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { invalidField } from '@twinyard/conventions';
import { toInvalid } from '@twinyard/service-kit';
import { plainToInstance } from 'class-transformer';
import { IsArray, IsNotEmpty, IsObject, IsOptional, IsString, IsUUID, MaxLength, validateSync } from 'class-validator';

/** What it weighs at most as JSON: it goes into each mail and webhook, and is kept with what was told. */
const MAX_DATA = 16_384;

export class NoticeDto {
  @ApiProperty({ maxLength: 200, description: 'What it is about: `$request.resource._name` in templates, `resource._name` in filters' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  _name!: string;

  @ApiPropertyOptional({ maxLength: 10_000, description: '`$request.resource._message`' })
  @IsOptional()
  @IsString()
  @MaxLength(10_000)
  _message?: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: `\`$request.resource._data\`, for filters and templates; at most ${MAX_DATA} bytes of JSON` })
  @IsOptional()
  @IsObject()
  _data?: Record<string, unknown>;

  @ApiPropertyOptional({ type: [String], description: 'Exactly one; `nsfilter` when it names one and this is missing' })
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  _namespaces?: string[];

  @ApiPropertyOptional({ format: 'uuid', description: 'The same again tells nobody twice; made when it is missing' })
  @IsOptional()
  @IsUUID()
  _eventId?: string;
}

export class ToldNoticeDto {
  @ApiProperty({ format: 'uuid', description: 'By which `GET /notification?_eventId=` says who was told, and how that went' }) _eventId!: string;
  @ApiProperty() _name!: string;
  @ApiProperty({ type: [String] }) _namespaces!: string[];
}

/** Names every bad field at once. */
export function parseNotice(body: unknown): NoticeDto {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) throw invalidField('body', 'must be an object');
  const dto = plainToInstance(NoticeDto, body);
  const errors = validateSync(dto);
  if (errors.length > 0) throw toInvalid(errors);
  if (Buffer.byteLength(JSON.stringify(dto._data ?? {})) > MAX_DATA) throw invalidField('_data', `must have at most ${MAX_DATA} bytes as JSON`);
  return dto;
}
