import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { JSON_VALUE, pageOf } from '@twinyard/service-kit';

class FieldChangeDto {
  @ApiProperty({ description: 'Dotted; an array is one value, versions are named by their number' })
  readonly _path: string;

  @ApiPropertyOptional({ ...JSON_VALUE, description: 'Missing where there was no value' })
  readonly _from?: unknown;

  @ApiPropertyOptional({ ...JSON_VALUE, description: 'Missing where there is no value any more' })
  readonly _to?: unknown;

  @ApiPropertyOptional({ enum: [true], type: Boolean, description: 'The values were too large to be kept: an entry has 4 MB of them, of which the smallest are kept first' })
  readonly _isCut?: true;
}

class UpdateLogEntryDto {
  @ApiProperty()
  readonly _id: string;

  @ApiProperty({ enum: ['CREATE', 'UPDATE', 'DELETE'], description: 'The log of a related item that was deleted is one entry that says so, for who may READ the whole collection; it goes with the collection version' })
  readonly _action: string;

  @ApiProperty({ description: 'Epoch milliseconds' })
  readonly _at: number;

  @ApiProperty()
  readonly _byId: string;

  @ApiPropertyOptional()
  readonly _byName?: string;

  @ApiProperty({ type: [FieldChangeDto] })
  readonly _changes: FieldChangeDto[];
}

export const UpdateLogPageDto = pageOf(UpdateLogEntryDto);
