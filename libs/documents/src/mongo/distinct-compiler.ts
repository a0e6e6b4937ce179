import type { Path } from '../filter/ast';
import { documentField } from './stored-fields';

/**
 * The values of a path and how many documents hold each. Each step looks into one array, as MongoDB's filters do; an empty array
 * and a missing field have no value. Not for paths with numbers, which pipelines do not take for indexes of arrays.
 */
export function compileDistinct(path: Path, limit: number): Record<string, unknown>[] {
  const steps = path[0] === '_id' ? [documentField(path)] : path.map((_, index) => documentField(path.slice(0, index + 1)));
  const name = documentField(path);
  return [
    ...(path[0] === '_id' ? [] : [{ $project: { [name]: 1 } }]),
    ...steps.flatMap((step) => [
      { $unwind: { path: `$${step}`, preserveNullAndEmptyArrays: true } },
      // An array inside the array: not looked into on the way, a value at the end.
      { $match: { [step]: step === name ? { $exists: true } : { $not: { $type: 'array' } } } },
    ]),
    { $group: { _id: { id: '$_id', value: `$${name}` } } },
    { $group: { _id: '$_id.value', count: { $sum: 1 } } },
    { $sort: { _id: 1 } },
    { $limit: limit },
  ];
}
