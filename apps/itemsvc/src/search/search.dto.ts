import { ApiProperty, ApiPropertyOptional, OmitType, PartialType } from '@nestjs/swagger';
import { pageOf } from '@twinyard/service-kit';
import { NamedItemDto } from '../nameditems/named-item.dto';
import { VersionDto } from '../versions/version.dto';

const FREE = { type: 'object', additionalProperties: true } as const;

class SearchedVersionDto extends VersionDto {
  @ApiPropertyOptional({ ...FREE, description: 'A page of items (`_list`, `_total`, `_offset`, `_pageSize`; `_filteredSize` with a `relatedFilter`), or the distinct values of each field by its name' })
  readonly _relatedItems?: Record<string, unknown>;

  @ApiPropertyOptional({ type: 'array', items: FREE, description: 'With `relatedDistinctFields`, in their order: `{ "<as>": [values] }`' })
  readonly _relatedDistinctFields?: Record<string, unknown>[];
}

/** Without what its projection has left out. */
class SearchedItemDto extends PartialType(OmitType(NamedItemDto, ['_versions'])) {
  @ApiProperty({ type: [SearchedVersionDto] })
  readonly _versions: SearchedVersionDto[];
}

export class SearchPageDto extends pageOf(SearchedItemDto) {
  @ApiPropertyOptional({ ...FREE, description: 'With a graph: its items by `_userItemId`, `_userItemVersionId` and `_id`' })
  readonly _referencedItems?: Record<string, unknown>;
}
