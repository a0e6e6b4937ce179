import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MetadataDto, pageOf } from '@twinyard/service-kit';

/** Beside these a related item holds whatever properties its makers gave it. */
export class RelatedItemDto {
  @ApiProperty({ description: '24 hex digits; kept when supplied, unique in the collection version' })
  readonly _id: string;

  @ApiPropertyOptional()
  readonly _guid?: string;

  @ApiPropertyOptional({ description: 'File items: the file in the file service; required there' })
  readonly _fileId?: string;

  @ApiPropertyOptional()
  readonly _fileVersionId?: string;

  @ApiPropertyOptional()
  readonly _fileRepositoryId?: string;

  @ApiPropertyOptional({ description: 'Telemetry items: the sensor; unique in the collection version' })
  readonly _sourceId?: string;

  @ApiPropertyOptional({ description: 'Telemetry items' })
  readonly _uri?: string;

  @ApiPropertyOptional({ type: MetadataDto, description: 'When it was made and changed, and by whom; missing where a `project` leaves it out' })
  readonly _metadata?: MetadataDto;
}

export class RelatedItemPageDto extends pageOf(RelatedItemDto) {
  @ApiPropertyOptional({ description: 'In answers to writes' })
  override readonly _includeTotal?: boolean;
}

export class UpsertedItemsDto {
  @ApiProperty({ description: 'Items that the collection version did not have' }) _new!: number;
  @ApiProperty() _changed!: number;
  @ApiProperty({ description: 'Items that had the content which was sent' }) _unchanged!: number;
  @ApiProperty({ description: 'Items that stay as they were' }) _kept!: number;
}

/** How the generated reference shows a free-form item. */
export const RELATED_ITEM_BODY = {
  schema: { type: 'object' as const, additionalProperties: true },
  description: 'User-defined properties; optionally `_id`, `_guid`, and `_relationships` (file items: `_related`) that make outgoing relations',
};

export const RELATED_ITEMS_BODY = { ...RELATED_ITEM_BODY, schema: { type: 'array' as const, items: RELATED_ITEM_BODY.schema } };
