import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { FieldIssue } from '@twinyard/conventions';
import { JSON_VALUE, MetadataDto, pageOf } from '@twinyard/service-kit';

const FREE = { type: 'object', additionalProperties: true } as const;

export class VersionContentDto {
  @ApiPropertyOptional({ ...FREE, description: 'Free-form' })
  readonly _userAttributes?: Record<string, unknown>;

  @ApiPropertyOptional({ ...JSON_VALUE, description: 'Any JSON value, most often a text' })
  readonly _userData?: unknown;
}

export class VersionDto extends VersionContentDto {
  @ApiProperty()
  readonly _id: string;

  @ApiProperty({ description: 'Id of the owning item' })
  readonly _userItemDbId: string;

  @ApiProperty()
  readonly _version: number;

  @ApiProperty()
  readonly _isTip: boolean;

  @ApiProperty({ type: MetadataDto })
  readonly _metadata: MetadataDto;
}

/** Of scripts. */
export const ScriptWarnings = () => ApiPropertyOptional({
  type: 'array', items: { $ref: '#/components/schemas/FieldIssueDto' }, description: 'Of scripts that do not parse: what is wrong, with line and column. They are kept all the same',
});

export class WrittenVersionDto extends VersionDto {
  @ScriptWarnings()
  readonly _warnings?: readonly FieldIssue[];
}

export const VersionPageDto = pageOf(VersionDto);
