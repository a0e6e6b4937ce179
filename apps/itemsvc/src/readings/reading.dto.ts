import { ApiProperty } from '@nestjs/swagger';
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
