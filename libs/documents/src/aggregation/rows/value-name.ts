/** One text for each value, of whatever type: values that are equal have the same, whatever the order of their keys is. */
export function nameOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (value instanceof Date) return `d${value.getTime()}`;
  if (Array.isArray(value)) return `[${value.map(nameOf).join(',')}]`;
  if (typeof value === 'object') return `{${partsOf(value).sort().join(',')}}`;
  return typeof value === 'string' ? JSON.stringify(value) : `${typeof value}${String(value)}`;
}

const partsOf = (value: object): string[] => Object.entries(value).filter(([, inner]) => inner !== undefined).map(([name, inner]) => `${JSON.stringify(name)}:${nameOf(inner)}`);
