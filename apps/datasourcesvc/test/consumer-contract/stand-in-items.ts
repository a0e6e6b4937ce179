import { newObjectId, newUserItemId } from '@twinyard/conventions';
import { isDeepStrictEqual } from 'node:util';
import type { ExpectedExchange } from './platform-contract';
import { exported } from './exported-items';
import type { Reply } from './platform-stand-in';

type Fields = Record<string, unknown>;

export interface StandInVersion {
  readonly _id: string;
  readonly _version: number;
  readonly _userAttributes: unknown;
  readonly _userData?: unknown;
  readonly items: Map<string, Fields>;
  readonly relations: Set<string>;
  readonly members: Map<string, string>;
}

export interface StandInItem {
  readonly _id: string;
  readonly _userItemId: string;
  readonly _userType: string;
  readonly _itemClass: string;
  readonly _name: string;
  readonly versions: StandInVersion[];
}

interface Relation {
  readonly _relatedFromId: string;
  readonly _relatedToIds: readonly string[];
  readonly _relatedUserItemId: string;
  readonly _relatedUserItemVersionId: string;
}

/** The item service in memory, with the manners that runs rely on: same `_id` and content counts as made, pairs are made once. */
export class StandInItems {
  readonly all: StandInItem[] = [];
  readonly readings = new Map<string, Fields>();

  ofType(userType: string): StandInItem {
    const [item, ...more] = this.all.filter((candidate) => candidate._userType === userType);
    if (item === undefined || more.length > 0) throw new Error(`${more.length + (item ? 1 : 0)} items of the type ${userType}`);
    return item;
  }

  tip(userType: string): StandInVersion {
    return this.ofType(userType).versions.at(-1) as StandInVersion;
  }

  add(userType: string, itemClass: string, attributes: unknown = {}): StandInItem {
    const item = { _id: newObjectId(), _userItemId: newUserItemId(userType), _userType: userType, _itemClass: itemClass, _name: userType, versions: [] };
    this.all.push(item);
    addVersion(item, attributes);
    return item;
  }

  /** The latest of its user type from now on. */
  addScript(userType: string, source: unknown): StandInItem {
    const item = { _id: newObjectId(), _userItemId: newUserItemId(userType), _userType: userType, _itemClass: 'Script', _name: userType, versions: [] };
    this.all.push(item);
    addVersion(item, {}, source);
    return item;
  }

  answer({ method }: ExpectedExchange, url: URL, body: unknown): Reply {
    const [, , , , , key, ...rest] = url.pathname.split('/').map(decodeURIComponent);
    if (key === undefined) return method === 'GET' ? this.find(url) : this.create(body as Fields[]);
    const item = this.all.find(({ _id, _userItemId }) => _id === key || _userItemId === key);
    if (item === undefined) return { status: 404, body: { message: `There is no item "${key}"`, code: 'not_found' } };
    const versionId = url.searchParams.get('userItemVersionId');
    const version = versionId === null ? item.versions.at(-1) : item.versions.find(({ _id }) => _id === versionId);
    if (version === undefined) return { status: 404, body: { message: `There is no version "${versionId}"` } };
    if (method === 'DELETE') return this.remove(item, rest[1]);
    switch (`${method} ${rest.join('/')}`) {
      case 'GET ': return { status: 200, body: record(item) };
      case 'POST versions': return { status: 201, body: shown(addVersion(item, (body as Fields)['_userAttributes'] ?? {}, (body as Fields)['_userData'])) };
      case 'POST relateditems/bulk': return createItems(version, body as Fields[]);
      case 'GET relateditems/export': return { status: 200, body: exported(version, url) };
      case 'PUT relateditems/bulk': return url.searchParams.has('by') ? upsertItems(version, url, body as Fields[]) : replaceItems(version, body as Fields[]);
      case 'PUT relationships/bulk': return this.relate(version, body as Relation[]);
      case 'POST relatedcollections': return addMembers(version, body as Fields[]);
      case 'GET relateditems': return listItems(version, url);
      case 'POST relateditems/readings': return this.putReadings(body as Fields[]);
      default: return { status: 500, body: { message: `the stand-in has no ${rest.join('/')}` } };
    }
  }

  private remove(item: StandInItem, versionId?: string): Reply {
    const [from, at] = versionId === undefined ? [this.all, this.all.indexOf(item)] as const : [item.versions, item.versions.findIndex(({ _id }) => _id === versionId)] as const;
    if (at < 0) return { status: 404, body: { message: `There is no version "${versionId}"` } };
    from.splice(at, 1);
    return { status: 204 };
  }

  private find(url: URL): Reply {
    const wanted = JSON.parse(url.searchParams.get('query') ?? '{}') as Fields;
    const found = this.all.map(record).filter((item) => Object.entries(wanted).every(([path, value]) => valuesAt(item, path.split('.')).includes(value)));
    // They are kept as they were made, and sorted by nothing else.
    return pageOf(url.searchParams.get('sort')?.includes('-1') === true ? found.reverse() : found, url);
  }

  private create([draft]: Fields[]): Reply {
    const { _userType, _itemClass, _version, _name } = draft as { _userType: string; _itemClass: string; _name: string; _version: Fields };
    const made = _itemClass === 'Script' ? this.addScript(_userType, _version['_userData']) : this.add(_userType, _itemClass, _version['_userAttributes']);
    const item = Object.assign(made, { _name });
    return { status: 201, body: { _total: 1, _list: [record(item)] } };
  }

  private relate(from: StandInVersion, relations: readonly Relation[]): Reply {
    for (const { _relatedFromId, _relatedToIds, _relatedUserItemId, _relatedUserItemVersionId } of relations) {
      const target = this.all.find(({ _userItemId }) => _userItemId === _relatedUserItemId)?.versions.find(({ _id }) => _id === _relatedUserItemVersionId);
      const missing = [...(from.items.has(_relatedFromId) ? [] : [_relatedFromId]), ..._relatedToIds.filter((id) => !target?.items.has(id))];
      if (missing.length > 0) return { status: 400, body: { message: `There is no related item ${missing[0]}` } };
      for (const id of _relatedToIds) from.relations.add(`${_relatedFromId} ${_relatedUserItemId} ${id}`);
    }
    return { status: 204 };
  }

  private putReadings(readings: readonly Fields[]): Reply {
    const isThere = readings.filter((reading) => this.readings.has(reading['_ts'] as string)).length;
    for (const reading of readings) this.readings.set(reading['_ts'] as string, reading);
    return { status: 200, body: { _new: readings.length - isThere, _replaced: isThere, _merged: 0, _kept: 0 } };
  }
}

function addVersion(item: StandInItem, attributes: unknown, source?: unknown): StandInVersion {
  const version = { _id: newObjectId(), _version: (item.versions.at(-1)?._version ?? 0) + 1, _userAttributes: attributes, ...(source !== undefined && { _userData: source }), items: new Map(), relations: new Set<string>(), members: new Map() };
  item.versions.push(version);
  return version;
}

const shown = ({ _id, _version, _userAttributes, _userData }: StandInVersion) => ({ _id, _version, _userAttributes, ...(_userData !== undefined && { _userData }) });

/** What was asked for of these, in either of the two ways. */
function pageOf(found: readonly Fields[], { searchParams }: URL): Reply {
  const inside = JSON.parse(searchParams.get('page') ?? '{}') as Fields;
  const [offset, size] = [['_offset', 0], ['_pageSize', 25]].map(([name, without]) => Number(inside[String(name)] ?? searchParams.get(String(name)) ?? without)) as [number, number];
  return { status: 200, body: { _total: found.length, _offset: offset, _pageSize: size, _list: found.slice(offset, offset + size) } };
}

function record(item: StandInItem): Fields {
  const tip = item.versions.at(-1) as StandInVersion;
  const { versions, ...fields } = item;
  return { ...fields, _tipId: tip._id, _tipVersion: tip._version, _versions: [shown(tip)] };
}

/** Lists on the way match by element, as in MongoDB. */
function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((element) => valuesAt(element, path));
  const [key, ...rest] = path;
  if (key === undefined) return [value];
  return value !== null && typeof value === 'object' ? valuesAt((value as Fields)[key], rest) : [];
}

function createItems(version: StandInVersion, items: readonly Fields[]): Reply {
  for (const item of items) {
    const there = version.items.get(item['_id'] as string);
    if (there !== undefined && !isDeepStrictEqual(there, item)) return { status: 400, body: { message: `${String(item['_id'])} is there already with other content` } };
  }
  for (const item of items) version.items.set(item['_id'] as string, item);
  return { status: 201, body: { _total: items.length, _list: items } };
}

/** Takes no item with a property `refused`, and names it by its place. */
function upsertItems(version: StandInVersion, url: URL, sent: readonly Fields[]): Reply {
  const details = sent.flatMap((item, index) => ('refused' in item ? [{ field: `[${index}].refused`, issue: String(item['refused']) }] : []));
  if (details.length > 0) return { status: 400, body: { message: 'refused', details } };
  const figures = { _new: 0, _changed: 0, _unchanged: 0, _kept: 0 };
  for (const item of sent) figures[upsertItem(version, item, url.searchParams.get('onConflict'))] += 1;
  return { status: 200, body: figures };
}

function upsertItem({ items }: StandInVersion, item: Fields, rule: string | null): '_new' | '_changed' | '_unchanged' | '_kept' {
  const old = [...items.values()].find(({ _sourceId }) => _sourceId === item['_sourceId']);
  const _id = (old?.['_id'] as string | undefined) ?? newObjectId();
  if (old !== undefined && rule === 'keep') return '_kept';
  const wanted = { ...(rule === 'merge' && old), ...item, _id };
  items.set(_id, wanted);
  if (old === undefined) return '_new';
  return isDeepStrictEqual(old, wanted) ? '_unchanged' : '_changed';
}

function replaceItems(version: StandInVersion, items: readonly Fields[]): Reply {
  const unknown = items.find((item) => !version.items.has(item['_id'] as string));
  if (unknown !== undefined) return { status: 400, body: { message: `There is no related item ${String(unknown['_id'])}`, code: 'invalid' } };
  for (const item of items) version.items.set(item['_id'] as string, item);
  return { status: 200, body: { _total: items.length, _list: [] } };
}

function addMembers(version: StandInVersion, members: readonly Fields[]): Reply {
  for (const { _userItemId, _userItemVersionId } of members) version.members.set(_userItemId as string, _userItemVersionId as string);
  return { status: 201, body: { _total: members.length, _list: [] } };
}

function listItems(version: StandInVersion, url: URL): Reply {
  const wanted = Object.entries(JSON.parse(url.searchParams.get('query') ?? '{}') as Fields);
  const found = [...version.items.values()].filter((item) => wanted.every(([name, value]) => item[name] === value));
  return pageOf(found, url);
}
