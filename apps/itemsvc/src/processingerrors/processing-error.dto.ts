import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { pageOf } from '@twinyard/service-kit';
import { ReadingDto } from '../readings/reading.dto';

class ConsoleLineDto {
  @ApiProperty({ enum: ['debug', 'info', 'warn', 'error'] })
  readonly level: string;

  @ApiProperty()
  readonly text: string;
}

class ProcessingErrorDto {
  @ApiProperty({ description: 'The same readings that fail again have the same' })
  readonly _id: string;

  @ApiProperty({ description: 'The telemetry collection' })
  readonly _userItemDbId: string;

  @ApiProperty()
  readonly _userItemId: string;

  @ApiProperty({ description: 'Of the collection' })
  readonly _itemClass: string;

  @ApiProperty({ description: 'Of the collection' })
  readonly _userType: string;

  @ApiProperty()
  readonly _userItemVersionId: string;

  @ApiProperty({ type: [String] })
  readonly _namespaces: string[];

  @ApiProperty()
  readonly _telemetryConfigId: string;

  @ApiPropertyOptional({ description: 'Missing where there was no such script' })
  readonly _scriptId?: string;

  @ApiProperty()
  readonly _message: string;

  @ApiPropertyOptional({ description: 'Of the script' })
  readonly _stack?: string;

  @ApiProperty({ type: [ConsoleLineDto], description: 'What the script had written' })
  readonly _console: ConsoleLineDto[];

  @ApiProperty({ type: [ReadingDto], description: 'At most 100, as they came: none of them is stored' })
  readonly _readings: ReadingDto[];

  @ApiProperty({ description: 'Epoch milliseconds of the last time' })
  readonly _at: number;
}

export const ProcessingErrorPageDto = pageOf(ProcessingErrorDto);
