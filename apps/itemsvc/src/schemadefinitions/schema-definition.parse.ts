import { isObject } from '../storage/filters';
import { Issues, requireObject } from '../storage/issues';
import { parseProperties } from './property-schema.parse';
import type { ItemType, NamedType, ReadingType, RelationshipType, SchemaTypes } from './schema-definition';

const MAX_TYPES = 1_000;

/** The body of a PUT: every fault of it is named with its path. Fields that are not a definition's are ignored. */
export function parseSchemaTypes(body: unknown): SchemaTypes {
  const source = requireObject(body);
  const issues = new Issues();
  const readingTypes = listOf(source, '_readingTypes', '', issues).map(([entry, at]) => parseReadingType(entry, at, issues));
  const itemTypes = listOf(source, '_itemTypes', '', issues).map(([entry, at]) => parseItemType(entry, at, issues));
  const known = { items: namesOf(itemTypes, '_itemTypes', issues), readings: namesOf(readingTypes, '_readingTypes', issues) };
  itemTypes.forEach((type, index) => checkReferences(type, `_itemTypes[${index}]`, known, issues));
  issues.refuse();
  return { _itemTypes: itemTypes, _readingTypes: readingTypes };
}

type Source = Record<string, unknown>;

/** The objects of an array with their paths; what is missing is empty, and what is no object is a fault. */
function listOf(source: Source, name: string, prefix: string, issues: Issues): [entry: Source, at: string][] {
  const value = source[name] ?? [];
  if (!Array.isArray(value)) {
    issues.add(prefix + name, 'must be an array');
    return [];
  }
  if (value.length > MAX_TYPES) {
    issues.add(prefix + name, `must have at most ${MAX_TYPES} entries`);
    return [];
  }
  return value.map((entry, index): [Source, string] => {
    const at = `${prefix}${name}[${index}]`;
    if (!isObject(entry)) issues.add(at, 'must be an object');
    return [isObject(entry) ? entry : {}, at];
  });
}

function parseType(source: Source, at: string, issues: Issues): NamedType {
  const name = issues.text(source, '_typeName', `${at}.`, { max: 255 }) ?? '';
  const description = issues.text(source, '_description', `${at}.`, { required: false });
  if ((source['_type'] ?? 'object') !== 'object') issues.add(`${at}._type`, 'must be object');
  return { _typeName: name, _type: 'object', _properties: parseProperties(source['_properties'], `${at}._properties`, issues), ...(description !== undefined && { _description: description }) };
}

/** A reading has a time and says whose it is; a type that speaks of these two says the same of them. */
function parseReadingType(source: Source, at: string, issues: Issues): ReadingType {
  const type = parseType(source, at, issues);
  const { _ts: time, _tsMetadata: owner } = type._properties;
  if (time !== undefined && time._type !== 'isodate') issues.add(`${at}._properties._ts._type`, 'must be isodate');
  if (owner !== undefined && owner._type !== 'object') issues.add(`${at}._properties._tsMetadata._type`, 'must be object');
  for (const name of ['_telItemId', '_sourceId']) {
    const property = owner?._properties?.[name];
    if (property !== undefined && property._type !== 'string') issues.add(`${at}._properties._tsMetadata._properties.${name}._type`, 'must be string');
  }
  return type;
}

function parseItemType(source: Source, at: string, issues: Issues): ItemType {
  const relationships = listOf(source, '_relationshipTypes', `${at}.`, issues).map(([entry, place]) => parseRelationship(entry, place, issues));
  const readings = source['_readingTypes'] ?? [];
  const areTexts = Array.isArray(readings) && readings.every((name) => typeof name === 'string');
  if (!areTexts) issues.add(`${at}._readingTypes`, 'must be an array of names of reading types');
  return { ...parseType(source, at, issues), _relationshipTypes: relationships, _readingTypes: areTexts ? (readings as string[]) : [] };
}

function parseRelationship(source: Source, at: string, issues: Issues): RelationshipType {
  const inverse = source['_isInverse'] ?? false;
  if (typeof inverse !== 'boolean') issues.add(`${at}._isInverse`, 'must be true or false');
  const description = issues.text(source, '_description', `${at}.`, { required: false });
  const reference = issues.object(source, '_ref', `${at}.`);
  if (reference === undefined && !isFaulty(source['_ref'])) issues.add(`${at}._ref`, 'is required');
  return {
    _isInverse: inverse === true,
    _userType: issues.text(source, '_userType', `${at}.`) ?? '',
    _ref: parseReference(reference, `${at}._ref.`, issues),
    ...(description !== undefined && { _description: description }),
  };
}

/** Given, but no object: named as such already. */
const isFaulty = (reference: unknown) => reference !== undefined && reference !== null;

function parseReference(source: Source | undefined, at: string, issues: Issues): RelationshipType['_ref'] {
  if (source === undefined) return { _relatedTypeName: '' };
  const userType = issues.text(source, '_relatedUserType', at, { required: false });
  const userItemId = issues.text(source, '_relatedUserItemId', at, { required: false });
  return {
    _relatedTypeName: issues.text(source, '_relatedTypeName', at) ?? '',
    ...(userType !== undefined && { _relatedUserType: userType }),
    ...(userItemId !== undefined && { _relatedUserItemId: userItemId }),
  };
}

function namesOf(types: readonly NamedType[], list: string, issues: Issues): ReadonlySet<string> {
  const names = new Set<string>();
  types.forEach(({ _typeName }, index) => {
    if (_typeName !== '' && names.has(_typeName)) issues.add(`${list}[${index}]._typeName`, `${_typeName} stands twice`);
    names.add(_typeName);
  });
  return names;
}

function checkReferences(type: ItemType, at: string, known: { readonly items: ReadonlySet<string>; readonly readings: ReadonlySet<string> }, issues: Issues): void {
  type._relationshipTypes.forEach(({ _ref: { _relatedTypeName: name } }, index) => {
    if (name !== '' && !known.items.has(name)) issues.add(`${at}._relationshipTypes[${index}]._ref._relatedTypeName`, `there is no item type ${name}`);
  });
  type._readingTypes.forEach((name, index) => {
    if (!known.readings.has(name)) issues.add(`${at}._readingTypes[${index}]`, `there is no reading type ${name}`);
  });
}
