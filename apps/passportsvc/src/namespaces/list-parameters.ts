import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';

/** `_offset` and `_pageSize`, plain or inside `page`. */
export const ApiPaging = () =>
  applyDecorators(
    ApiQuery({ name: '_offset', required: false, type: Number }),
    ApiQuery({ name: '_pageSize', required: false, type: Number, description: 'Default 25, at most 1,000; 0 asks for the total alone' }),
    ApiQuery({ name: 'page', required: false, description: '`{"_offset":0,"_pageSize":25}`' }),
  );

/** The filters of `parseRecordFilter`. */
export const ApiRecordFilters = (...more: readonly string[]) =>
  applyDecorators(
    ...[...more, '_name', '_shortName', '_userType'].map((name) => ApiQuery({ name, required: false, type: String, isArray: true })),
    ApiQuery({ name: 'query', required: false, description: 'Case-insensitive search on name, short name and description; `*` stands for any run' }),
    ApiPaging(),
  );
