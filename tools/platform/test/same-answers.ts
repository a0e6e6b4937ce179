const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/** Ids of related items, of named items (their short name and ten characters), namespaces, and the suffix of the tour. */
const OTHERS = [
  /\b[0-9a-f]{24}\b/g,
  /(?<=\b(?:rvt_elements|rvt_element_props|rvt_type_elements|ifc_spatial_structure|bim_model_version|sensors|meters|energy|energy-script)_)[a-z0-9]{10}\b/g,
  /(?<=\b(?:tour|ns|app|org|u)_)[A-Za-z0-9]{8}\b/g,
  /(?<=Tour |viewer-|outsider-)[0-9a-f]{6}\b/g,
];
/** Of the run: when something happened, what was signed for an hour, where it runs, which pictures are drawn by now, how long it took and how often it asked. Readings keep their times. */
const OF_THE_RUN = /^(_?(created|updated|started|finished|ended|last|first)(At|_at|_time|Time)|_?timestamp|_timestamp|_time|time|requestId|_etag|_previews|_usage|_due)$/i;
const ADDRESS = /https?:\/\/localhost:\d+/g;
const SIGNED = /expires=\d+&signature=[\w-]+/g;

/**
 * An answer as data: ids are replaced by the order in which they first appear, so that what names the same thing in one answer does so in the
 * other; times of the run and its addresses are left out. Numbers keep twelve digits: stores add up in different orders.
 */
export function withoutIds(answer: unknown): unknown {
  const names = new Map<string, string>();
  const nameOf = (id: string) => {
    const known = names.get(id) ?? `id ${names.size + 1}`;
    names.set(id, known);
    return known;
  };
  const text = (value: string) =>
    [UUID, ...OTHERS].reduce((so, pattern) => so.replace(pattern, nameOf), value.replace(ADDRESS, '').replace(SIGNED, 'signed'));
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return value.startsWith('{') ? value.split('\n').map((line) => walk(parsed(line))) : text(value);
    if (typeof value === 'number') return rounded(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).sort(byName).map(([key, inner]) => [text(key), OF_THE_RUN.test(key) ? 'of the run' : walk(inner)]));
  };
  return walk(answer);
}

/** In two steps: a mean that lies half way between two roundings is told apart from its neighbours by noise alone. */
const rounded = (value: number) => Number(Number(value.toPrecision(14)).toPrecision(12));

/** Some fields hold JSON as text: a run's result, the lines of its log. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return ` ${line}`;
  }
}

/** Each answer by itself, so that one that differs leaves the others as they are. */
export const eachWithoutIds = (answers: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(answers).map(([question, answer]) => [question, withoutIds(answer)]));

const byName = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1);
