import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';

const list = { required: false, schema: { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } } } as const;

/** The parameters of paging: 25 by default, at most 200. */
export const ApiFilePaging = () =>
  applyDecorators(
    ApiQuery({ name: '_offset', required: false, type: Number }),
    ApiQuery({ name: '_pageSize', required: false, type: Number, description: '25 by default, at most 200' }),
  );

export const ApiFileFilter = () =>
  applyDecorators(
    ApiQuery({ name: '_namespaces', ...list, description: 'All of `nsfilter` by default' }),
    ApiQuery({ name: '_ids', ...list, description: 'At most 200: more are refused (400)' }),
    ApiQuery({ name: '_name', required: false, type: String, description: "A regular expression in RE2's language that matches some part of the name" }),
    ApiQuery({ name: '_tags', ...list, description: 'Any of them' }),
    ApiQuery({ name: '_status', ...list }),
    ApiQuery({ name: '_type', required: false, enum: ['file', 'dir'] }),
    ApiQuery({ name: 'withUrl', required: false, type: Boolean, description: 'Adds download addresses' }),
    ApiFilePaging(),
  );

export const ApiPlace = () =>
  applyDecorators(
    ApiQuery({ name: '_name', required: false, schema: { type: 'string', minLength: 1 }, description: 'Of the folder (there, or in a JSON body), or of the first part' }),
    ApiQuery({ name: '_namespaces', ...list, description: 'Within `nsfilter`; of a folder also in a JSON body' }),
    ApiQuery({ name: '_parents', ...list, description: 'The folder; the root by default. Folders lie at most 100 levels deep' }),
    ApiQuery({ name: '_tags', ...list }),
    ApiQuery({ name: '_userAttributes', required: false, type: String, description: 'An object of at most 2,000 characters, as JSON; of a folder also in a JSON body' }),
  );
