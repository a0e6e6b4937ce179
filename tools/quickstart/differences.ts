/** In an answer of a page: a text that begins as this one does and goes on as it likes; as a name, that there is more. */
const MORE = '…';

/**
 * Where an answer is not what a page shows, as paths. On the page, a text may end in `…`, an object with a member `"…"` has more members than are shown, and a list
 * with `"…"` at its end more elements.
 */
export function differences(shown: unknown, answered: unknown, path = ''): string[] {
  if (typeof shown === 'string' && shown.endsWith(MORE)) return ofTexts(shown.slice(0, -MORE.length), answered, path);
  if (Array.isArray(shown)) return Array.isArray(answered) ? ofLists(shown, answered, path) : [`${path}: is no list`];
  if (isObject(shown)) return isObject(answered) ? ofObjects(shown, answered, path) : [`${path}: is no object`];
  return Object.is(shown, answered) ? [] : [`${path}: ${JSON.stringify(answered)} in the place of ${JSON.stringify(shown)}`];
}

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

const ofTexts = (begin: string, answered: unknown, path: string): string[] =>
  typeof answered === 'string' && answered.startsWith(begin) ? [] : [`${path}: ${JSON.stringify(answered)} does not begin with ${JSON.stringify(begin)}`];

function ofLists(shown: readonly unknown[], answered: readonly unknown[], path: string): string[] {
  const hasMore = shown.at(-1) === MORE;
  const elements = hasMore ? shown.slice(0, -1) : shown;
  const isLong = hasMore ? answered.length > elements.length : answered.length === elements.length;
  return [...(isLong ? [] : [`${path}: has ${answered.length} elements`]), ...elements.flatMap((element, at) => differences(element, answered[at], `${path}[${at}]`))];
}

function ofObjects({ [MORE]: more, ...shown }: Fields, answered: Fields, path: string): string[] {
  const unknown = more === undefined ? Object.keys(answered).filter((name) => !(name in shown)) : [];
  return [...unknown.map((name) => `${path}.${name}: is not shown`), ...Object.entries(shown).flatMap(([name, value]) => differences(value, answered[name], `${path}.${name}`))];
}
