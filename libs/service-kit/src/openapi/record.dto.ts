import type { Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { MetadataRecord, Page } from '@twinyard/conventions';

/** A property that takes anything: without this it would be described as an object. */
export const JSON_VALUE = {
  anyOf: [{ type: 'string', nullable: true }, { type: 'number' }, { type: 'boolean' }, { type: 'object', additionalProperties: true }, { type: 'array', items: {} }],
} satisfies { anyOf: object[] };

/** The page envelope around records of one shape, for the OpenAPI document. */
export function pageOf<T>(record: Type<T>): Type<Page<T>> {
  class PageDto implements Page<T> {
    @ApiProperty()
    readonly _offset: number;

    @ApiProperty()
    readonly _pageSize: number;

    @ApiProperty()
    readonly _total: number;

    @ApiProperty({ type: record, isArray: true })
    readonly _list: T[];
  }
  Object.defineProperty(PageDto, 'name', { value: `${record.name.replace(/Dto$/, '')}PageDto` });
  return PageDto;
}

export class MetadataDto implements MetadataRecord {
  @ApiProperty({ description: 'Epoch milliseconds' })
  readonly _createdAt: number;

  @ApiProperty({ description: 'Epoch milliseconds' })
  readonly _updatedAt: number;

  @ApiProperty()
  readonly _createdById: string;

  @ApiProperty()
  readonly _updatedById: string;

  @ApiPropertyOptional()
  readonly _createdByName?: string;

  @ApiPropertyOptional()
  readonly _updatedByName?: string;
}
