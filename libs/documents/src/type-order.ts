const RANKS: Readonly<Record<string, number>> = { number: 2, string: 3, object: 4, boolean: 6 };

/** BSON's order of types. What is missing is below `null`. */
export function rankOf(value: unknown): number {
  if (value === undefined || value === null) return value === null ? 1 : 0;
  if (Array.isArray(value)) return 5;
  if (value instanceof Date) return 7;
  return RANKS[typeof value] ?? 8;
}
