import { invalidField, type QueryValues, repeatedParameter, textParameter } from '@twinyard/conventions';

export interface AuditFilter {
  readonly namespaces?: readonly string[];
  readonly irn?: string;
  readonly byId?: string;
  /** Both are within the range. */
  readonly from?: Date;
  readonly to?: Date;
}

export function parseAuditFilter(query: QueryValues): AuditFilter {
  const namespaces = repeatedParameter(query, '_namespace');
  const [irn, byId] = [textParameter(query, '_irn'), textParameter(query, '_byId')];
  const [from, to] = [timeParameter(query, 'from'), timeParameter(query, 'to')];
  if (from && to && from > to) throw invalidField('from', 'must not be after to');
  return { ...(namespaces && { namespaces }), ...(irn && !EVERY_IRN.test(irn) && { irn }), ...(byId && { byId }), ...(from && { from }), ...(to && { to }) };
}

/** `*` and `*:*:*` leave nothing out. */
const EVERY_IRN = /^\*+(:\*+){0,2}$/;

const MILLISECONDS = /^-?\d{1,16}$/;
const ISO_8601 = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/;
/** What a PostgreSQL timestamp holds is more, what people ask for is less. */
const [EARLIEST, LATEST] = [Date.UTC(0, 0, 1), Date.UTC(9999, 11, 31)];

/** Epoch milliseconds or ISO 8601; without an offset it is UTC. */
function timeParameter(query: QueryValues, name: string): Date | undefined {
  const text = textParameter(query, name);
  if (text === undefined || text === '') return undefined;
  const time = MILLISECONDS.test(text) ? Number(text) : timeOfIso(text);
  if (!(time >= EARLIEST && time <= LATEST)) throw invalidField(name, 'must be epoch milliseconds or a date of ISO 8601');
  return new Date(time);
}

function timeOfIso(text: string): number {
  if (!ISO_8601.test(text)) return Number.NaN;
  return Date.parse(/T.*(Z|[+-]\d\d:?\d\d)$/.test(text) || !text.includes('T') ? text : `${text}Z`);
}
