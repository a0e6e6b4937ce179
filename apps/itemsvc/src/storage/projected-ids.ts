type Fields = Readonly<Record<string, unknown>>;

/** Whether an answer is to be without the `_id`, which the service itself needs. */
export const hidesId = (projection: Fields | undefined): boolean => projection !== undefined && (projection['_id'] === 0 || projection['_id'] === false);

export function withId(projection: Fields | undefined): Fields | undefined {
  if (!hidesId(projection)) return projection;
  const rest = without(projection as Fields, '_id');
  return Object.keys(rest).length === 0 ? undefined : rest;
}

export function without(source: Fields, field: string): Record<string, unknown> {
  const { [field]: _, ...rest } = source;
  return rest;
}
