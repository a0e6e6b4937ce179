import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { pageOf } from '@twinyard/service-kit';

class IndexOptionsDto {
  @ApiProperty()
  readonly name: string;

  @ApiPropertyOptional({ description: 'Within each version' })
  readonly unique?: boolean;

  @ApiPropertyOptional({ description: 'Text indexes: the language of their words' })
  readonly default_language?: string;
}

export class IndexDto {
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Path to 1, -1 or "text"' })
  readonly key: Record<string, unknown>;

  @ApiProperty({ type: IndexOptionsDto })
  readonly options: IndexOptionsDto;
}

export const IndexPageDto = pageOf(IndexDto);
