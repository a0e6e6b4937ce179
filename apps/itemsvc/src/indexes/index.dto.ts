import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import type { IndexSpec } from '@twinyard/documents';
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
  @ApiProperty({ description: 'As in `options`' })
  readonly name: string;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Path to 1, -1 or "text"' })
  readonly key: Record<string, unknown>;

  @ApiProperty({ type: IndexOptionsDto })
  readonly options: IndexOptionsDto;
}

export class NewIndexDto extends OmitType(IndexDto, ['name']) {}

/** Contract 2.5: entries have `name`, `key`, `options`. */
export const toIndexDto = ({ key, options }: IndexSpec): IndexDto => ({ name: options.name, key, options });

export const IndexPageDto = pageOf(IndexDto);
