import { isObject } from '../storage/filters';

/** Entries that one request holds at most (contract 2.7). */
export const MAX_ENTRIES = 10_000;

/** A reading of some sensor, as a gateway sends it, and how it names the sensor: by the item's id, or by its collection and the source in it. */
export interface GatewayEntry {
  readonly index: number;
  readonly telItemId: string | undefined;
  readonly sourceId: string | undefined;
  /** `_id` or `_userItemId`. */
  readonly collection: string | undefined;
  readonly ts: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The entry, or what is wrong with it. A reading in the form in which it is listed, with its `_tsMetadata`, is taken as well. */
export function readEntry(entry: unknown, index: number): GatewayEntry | string {
  if (!isObject(entry)) return 'must be an object';
  const { _ts, _telItemId, _userItemId, _sourceId, _tsMetadata, ...fields } = entry;
  const metadata = isObject(_tsMetadata) ? _tsMetadata : {};
  const names = { _telItemId: _telItemId ?? metadata['_telItemId'], _sourceId: _sourceId ?? metadata['_sourceId'], _userItemId };
  const wrong = Object.entries(names).find(([, value]) => !isText(value ?? ''));
  if (wrong !== undefined) return `${wrong[0]} must be a text`;
  const [telItemId, sourceId, collection] = [textOf(names._telItemId), textOf(names._sourceId), textOf(names._userItemId)];
  const isNamed = telItemId !== undefined || (collection !== undefined && sourceId !== undefined);
  return isNamed ? { index, telItemId, sourceId, collection, ts: _ts, metadata, fields } : '_telItemId, or _userItemId with _sourceId, is required';
}

/** The entry as a reading of a collection (contract 2.7), which is checked like any other. */
export const toReading = ({ ts, metadata, fields }: GatewayEntry, sensor: { readonly telItemId: string; readonly sourceId: string | undefined }) => ({
  ...fields, _ts: ts, _tsMetadata: { ...metadata, _telItemId: sensor.telItemId, _sourceId: sensor.sourceId },
});

const isText = (value: unknown): value is string => typeof value === 'string';
const textOf = (value: unknown): string | undefined => (isText(value) && value !== '' ? value : undefined);
