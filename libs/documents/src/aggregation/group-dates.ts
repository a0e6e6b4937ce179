import type { SimpleKey } from './group-key';
import type { GroupField, GroupPlan } from './group-plan';

/** Where in a group stand dates, which leave the store as text: the stages behind it compute with them. */
export function datesOf({ key, fields }: GroupPlan): ReadonlySet<string> {
  const parts = key.kind === 'parts' ? key.parts.filter(([, part]) => isDateKey(part)).map(([name]) => `_id.${name}`) : [];
  const whole = key.kind !== 'parts' && key.kind !== 'none' && isDateKey(key) ? ['_id'] : [];
  return new Set([...parts, ...whole, ...fields.filter(isDateField).map(({ name }) => name)]);
}

const isInstant = (of: unknown) => Array.isArray(of) && of.length === 1 && of[0] === '_ts';
const isDateKey = (key: SimpleKey) => key.kind === 'span' || key.kind === 'months' || (key.kind === 'path' && isInstant(key.path));
const isDateField = ({ accumulator, of }: GroupField) => ['$min', '$max', '$first', '$last'].includes(accumulator) && isInstant(of);
