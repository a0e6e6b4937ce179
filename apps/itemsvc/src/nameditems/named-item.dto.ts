import { ApiProperty, ApiPropertyOptional, IntersectionType, PickType } from '@nestjs/swagger';
import type { FieldIssue } from '@twinyard/conventions';
import { MetadataDto, pageOf } from '@twinyard/service-kit';
import { ScriptWarnings, VersionContentDto, VersionDto } from '../versions/version.dto';
import { GRANULARITIES, ITEM_CLASS_NAMES } from './named-item';

class TsPropertiesDto {
  @ApiProperty({ enum: GRANULARITIES, default: 'minutes' })
  readonly _granularity: string;

  @ApiPropertyOptional({ description: 'Seconds after which readings are deleted' })
  readonly _expiry?: number;
}

export class NamedItemDto {
  @ApiProperty()
  readonly _id: string;

  @ApiProperty({ description: 'Accepted with `_id` wherever `{id}` appears' })
  readonly _userItemId: string;

  @ApiProperty()
  readonly _uri: string;

  @ApiProperty()
  readonly _irn: string;

  @ApiProperty({ minLength: 1 })
  readonly _name: string;

  @ApiProperty({ minLength: 1, maxLength: 22 })
  readonly _shortName: string;

  @ApiPropertyOptional()
  readonly _description?: string;

  @ApiProperty({ minLength: 1 })
  readonly _userType: string;

  @ApiProperty({ enum: ITEM_CLASS_NAMES })
  readonly _itemClass: string;

  @ApiProperty()
  readonly _kind: string;

  @ApiProperty({ type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } })
  readonly _namespaces: string[];

  @ApiProperty()
  readonly _tipId: string;

  @ApiProperty()
  readonly _tipVersion: number;

  @ApiProperty()
  readonly _nextVersion: number;

  @ApiProperty()
  readonly _versionsCount: number;

  @ApiProperty({ type: [VersionDto], description: 'The tip only, unless all versions are asked for' })
  readonly _versions: VersionDto[];

  @ApiPropertyOptional({ description: 'NamedUserCollection only, decided when it is made: properties of related items whose name starts with `.` are stored encrypted. They come back plain to those who may READ, and can be neither filtered, sorted nor indexed on.' })
  readonly _encryptionEnabled?: boolean;

  @ApiPropertyOptional({ type: TsPropertiesDto, description: 'NamedTelemetryCollection only' })
  readonly _tsProperties?: TsPropertiesDto;

  @ApiPropertyOptional({ type: 'array', items: { type: 'string', minLength: 1 }, description: 'Names of item types of the schema definition' })
  readonly _itemTypes?: string[];

  @ApiProperty({ type: MetadataDto })
  readonly _metadata: MetadataDto;
}

export const NamedItemPageDto = pageOf(NamedItemDto);

export class MadeItemPageDto extends NamedItemPageDto {
  @ScriptWarnings()
  readonly _warnings?: readonly FieldIssue[];
}

class FirstVersionDto {
  @ApiPropertyOptional({ type: VersionContentDto, description: '`_userData` is required for UserConfig and Script' })
  readonly _version?: VersionContentDto;
}

export class NewNamedItemDto extends IntersectionType(
  PickType(NamedItemDto, ['_name', '_shortName', '_description', '_userType', '_itemClass', '_namespaces', '_encryptionEnabled', '_tsProperties', '_itemTypes'] as const),
  FirstVersionDto,
) {}

export class NamedItemChangeDto extends PickType(NamedItemDto, ['_name', '_description', '_namespaces', '_userType'] as const) {}

export class DeletedItemDto {
  @ApiProperty()
  readonly _updatedBy: string;

  @ApiProperty({ description: 'Epoch milliseconds' })
  readonly _updatedAt: number;
}
