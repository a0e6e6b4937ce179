const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Of a text that is an instant as `toISOString` writes it, as stores have them. */
const STORED_LENGTH = 24;
export const storedTimestamp = (text: unknown): Date | undefined =>
  (typeof text === 'string' && text.length === STORED_LENGTH && text.endsWith('Z') && text[10] === 'T' && text[0] !== '+' && text[0] !== '-' ? validOf(new Date(text)) : undefined);
const validOf = (date: Date) => (Number.isNaN(date.getTime()) ? undefined : date);

/** The instant of an ISO 8601 text; without a zone it is UTC. `undefined`: it is no date (also 30 February, or year 0). */
export function parseTimestamp(text: unknown): Date | undefined {
  const match = typeof text === 'string' ? ISO.exec(text) : null;
  if (!match) return undefined;
  const [, year, month, day] = match;
  if (new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() !== Number(day)) return undefined;
  const date = new Date(`${year}-${month}-${day}T${timeOf(match.slice(4))}`);
  // Four digits from the year 1 on: then the order of the ISO texts is the order of the dates.
  return date.getTime() >= FIRST && date.getTime() <= LAST ? date : undefined;
}

function timeOf([hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z']: readonly (string | undefined)[]): string {
  const offset = zone === 'Z' ? zone : `${zone.slice(0, 3)}:${zone.slice(-2)}`;
  return `${hour}:${minute}:${second}${fraction}${offset}`;
}

const FIRST = Date.parse('0001-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');
