const MAX_TAGS = 10;
const MAX_LENGTH = 50;

/** What is wrong with tags; nothing when they are good. At most 10, each of at most 50 characters. */
export function faultOfTags(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.some((tag) => typeof tag !== 'string')) return 'must be an array of strings';
  const tags = toTags(value as string[]);
  if (tags.length > MAX_TAGS) return `must not hold more than ${MAX_TAGS} tags`;
  if (tags.some((tag) => [...tag].length > MAX_LENGTH)) return `must not hold a tag of more than ${MAX_LENGTH} characters`;
  return undefined;
}

/** As stored: trimmed, none empty, each once. */
export const toTags = (values: readonly string[]) => [...new Set(values.map((tag) => tag.trim()).filter((tag) => tag !== ''))];
