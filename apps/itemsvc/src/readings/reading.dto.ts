import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { pageOf } from '@twinyard/service-kit';

class ReadingSourceDto {
  @ApiProperty({ description: 'Id of the telemetry item' })
  readonly _telItemId: string;

  @ApiProperty({ description: 'The sensor; must be the item\'s' })
  readonly _sourceId: string;
}

/** Beside these the measurements. */
export class ReadingDto {
  @ApiProperty({ description: 'ISO 8601; comes back in UTC with milliseconds' })
  readonly _ts: string;

  @ApiProperty({ type: ReadingSourceDto })
  readonly _tsMetadata: ReadingSourceDto;
}

/** Beside these the measurements. */
export class GatewayReadingDto {
  @ApiProperty({ description: 'ISO 8601' })
  readonly _ts: string;

  @ApiPropertyOptional({ description: 'Id of the telemetry item' })
  readonly _telItemId?: string;

  @ApiPropertyOptional({ description: 'The collection, by its `_id` or `_userItemId`; needed where `_telItemId` is missing, or stands in several collections' })
  readonly _userItemId?: string;

  @ApiPropertyOptional({ description: 'The sensor in the collection' })
  readonly _sourceId?: string;
}

class RefusedReadingDto {
  @ApiProperty({ type: 'integer', description: 'Its place in the request, from 0' })
  readonly index: number;

  @ApiProperty()
  readonly _reason: string;
}

export class GatewayAnswerDto {
  @ApiProperty({ type: 'integer', description: 'Readings that are stored' })
  readonly _accepted: number;

  @ApiProperty({ type: [RefusedReadingDto] })
  readonly _refused: RefusedReadingDto[];
}

export const ReadingPageDto = pageOf(ReadingDto);

export class AggregateDto {
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } })
  readonly _list: Record<string, unknown>[];
}

export class WrittenReadingsDto {
  @ApiProperty({ description: 'Instants that their items had no reading at' }) _new!: number;
  @ApiProperty() _replaced!: number;
  @ApiProperty({ description: 'Readings that got the fields which were sent' }) _merged!: number;
  @ApiProperty({ description: 'Readings that stay as they were' }) _kept!: number;
}
