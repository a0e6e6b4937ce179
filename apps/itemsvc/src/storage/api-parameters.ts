import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { schemaRef } from '@twinyard/documents';
import { jsonText } from '@twinyard/service-kit';

const SCHEMAS = { query: 'Filter', project: 'Projection', sort: 'Sort' } as const;

/** A parameter that is a JSON object. */
export const ApiJsonQuery = (name: keyof typeof SCHEMAS, description: string, required = false) => ApiQuery({ name, required, schema: jsonText(schemaRef(SCHEMAS[name])), description });

const FILTER = [
  'JSON object: a filter as MongoDB has them, such as `{ "maker.name": "Acme", "power": { "$gt": 2 } }`. Operators: `$eq $ne $gt $gte $lt $lte $in $nin $and $or $nor $not $exists',
  '$type $regex $options $all $elemMatch $size $mod $text $search`; at most 8 levels, 1,000 conditions and 10,000 values in a list.',
].join(' ');

/** The parameters that list operations share (specification 2), for the generated reference. */
export const ApiListQuery = () => applyDecorators(
  ApiJsonQuery('query', FILTER),
  ApiJsonQuery('project', 'JSON object: path to 1 (include) or 0 (exclude); records then lack also what is said to be required'),
  ApiJsonQuery('sort', 'JSON object: path to 1 or -1'),
  ApiQuery({ name: 'page', required: false, description: 'JSON object: `{ "_offset", "_pageSize" }`; at most 5,000; `_pageSize` 0 asks for the total alone' }),
  ApiQuery({ name: '_offset', required: false, type: Number }),
  ApiQuery({ name: '_pageSize', required: false, type: Number }),
);

export const ApiVersionQuery = () => ApiQuery({ name: 'userItemVersionId', required: false, type: String, description: 'Version of the collection; the tip without it' });

export const ApiTransactional = () => ApiQuery({
  name: 'transactional', required: false, type: String, description: 'Accepted for clients that send it: every write is all or nothing.',
});
