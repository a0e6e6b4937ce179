import { isObject } from '../storage/filters';
import { Issues, requireArray, requireObject } from '../storage/issues';
import { checkDepth } from '../storage/property-names';
import { GRANULARITIES, ITEM_CLASS_NAMES, ITEM_CLASSES, type ItemChange, type ItemClass, type ItemDraft, type TsProperties } from './named-item';

/** Contract 2.1. */
const SHORT_NAME_LENGTH = 22;

/** Names of the item types of each namespace's schema definition. */
export type TypeNames = ReadonlyMap<string, ReadonlySet<string>>;

/** Whether it takes a look at schema definitions to judge the body. */
export const namesItemTypes = (body: unknown): boolean => Array.isArray(body) && body.some((entry) => isObject(entry) && Array.isArray(entry['_itemTypes']) && entry['_itemTypes'].length > 0);

/** The items that are to be made; every fault of all of them is named at once. */
export function parseItemDrafts(body: unknown, namespaces: readonly string[], types: TypeNames): ItemDraft[] {
  const issues = new Issues();
  const drafts = requireArray(body).map((entry, index) => parseDraft(entry, `[${index}]`, { namespaces, types }, issues));
  issues.refuse();
  return drafts as ItemDraft[];
}

interface Surroundings {
  /** `nsfilter` */
  readonly namespaces: readonly string[];
  readonly types: TypeNames;
}

function parseDraft(entry: unknown, at: string, { namespaces, types }: Surroundings, issues: Issues): ItemDraft | undefined {
  if (!isObject(entry)) {
    issues.add(at, 'must be an object');
    return undefined;
  }
  const prefix = `${at}.`;
  const itemClass = parseItemClass(entry, prefix, issues);
  const description = issues.text(entry, '_description', prefix, { required: false });
  const shared = { ...parseNames(entry, prefix, namespaces, issues), shortName: issues.text(entry, '_shortName', prefix, { max: SHORT_NAME_LENGTH }) ?? '' };
  const itemTypes = parseItemTypes(entry, prefix, shared.namespaces.map((namespace) => types.get(namespace)), issues);
  return {
    ...shared,
    itemClass: itemClass ?? 'NamedUserCollection',
    ...(description !== undefined && { description }),
    ...(itemTypes && { itemTypes }),
    ...parseVersion(entry, prefix, itemClass, issues),
    ...parseClassOptions(entry, prefix, itemClass, issues),
  };
}

/** What an update may change; other fields are ignored, since clients send whole records back. */
export function parseItemChange(body: unknown, nsfilter: readonly string[]): ItemChange {
  const source = requireObject(body);
  const issues = new Issues();
  const names = parseNames(source, '', nsfilter, issues);
  const description = issues.text(source, '_description', '', { required: false });
  issues.refuse();
  return { ...names, ...(description !== undefined && { description }) };
}

function parseNames(source: Record<string, unknown>, prefix: string, nsfilter: readonly string[], issues: Issues) {
  const namespaces = issues.texts(source, '_namespaces', prefix);
  for (const namespace of namespaces) {
    if (!nsfilter.includes(namespace)) issues.add(`${prefix}_namespaces`, `${namespace} is not in nsfilter`);
  }
  return { name: issues.text(source, '_name', prefix) ?? '', userType: issues.text(source, '_userType', prefix) ?? '', namespaces };
}

function parseItemClass(source: Record<string, unknown>, prefix: string, issues: Issues): ItemClass | undefined {
  const text = issues.text(source, '_itemClass', prefix);
  if (text === undefined) return undefined;
  if (Object.hasOwn(ITEM_CLASSES, text)) return text as ItemClass;
  issues.add(`${prefix}_itemClass`, `must be one of ${ITEM_CLASS_NAMES.join(', ')}`);
  return undefined;
}

function parseVersion(source: Record<string, unknown>, prefix: string, itemClass: ItemClass | undefined, issues: Issues) {
  const version = issues.object(source, '_version', prefix) ?? {};
  const at = `${prefix}_version.`;
  const userAttributes = issues.object(version, '_userAttributes', at);
  const userData = version['_userData'];
  checkDepth(userAttributes, `${at}_userAttributes`, issues);
  checkDepth(userData, `${at}_userData`, issues);
  if (itemClass !== undefined && ITEM_CLASSES[itemClass].needsUserData && (userData === undefined || userData === null)) {
    issues.add(`${at}_userData`, `is required for ${itemClass}`);
  }
  return { ...(userAttributes && { userAttributes }), ...(userData !== undefined && { userData }) };
}

function parseClassOptions(source: Record<string, unknown>, prefix: string, itemClass: ItemClass | undefined, issues: Issues) {
  const isUserCollection = itemClass === 'NamedUserCollection';
  const encryptionEnabled = isUserCollection ? parseEncryption(source['_encryptionEnabled'], prefix, issues) : undefined;
  const tsProperties = itemClass === 'NamedTelemetryCollection' ? parseTsProperties(source, prefix, issues) : undefined;
  return { ...(encryptionEnabled !== undefined && { encryptionEnabled }), ...(tsProperties && { tsProperties }) };
}

/** It stays as it is made: an update ignores it, so what is stored is always all plain or all encrypted. */
function parseEncryption(value: unknown, prefix: string, issues: Issues): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') issues.add(`${prefix}_encryptionEnabled`, 'must be true or false');
  return value === true;
}

function parseTsProperties(source: Record<string, unknown>, prefix: string, issues: Issues): TsProperties {
  const given = issues.object(source, '_tsProperties', prefix) ?? {};
  const { _granularity: granularity = 'minutes', _expiry: expiry } = given;
  const known = GRANULARITIES.find((name) => name === granularity);
  if (known === undefined) issues.add(`${prefix}_tsProperties._granularity`, `must be one of ${GRANULARITIES.join(', ')}`);
  const hasExpiry = expiry !== undefined && expiry !== null;
  if (hasExpiry && !(Number.isSafeInteger(expiry) && (expiry as number) > 0)) {
    issues.add(`${prefix}_tsProperties._expiry`, 'must be a whole number of seconds above 0');
  }
  return { _granularity: known ?? 'minutes', ...(hasExpiry && { _expiry: expiry as number }) };
}

/** Contract 2.1: each is in the schema definition of a namespace that the item is made in. */
function parseItemTypes(source: Record<string, unknown>, prefix: string, known: readonly (ReadonlySet<string> | undefined)[], issues: Issues): readonly string[] | undefined {
  const types = source['_itemTypes'];
  if (types === undefined || types === null || (Array.isArray(types) && types.length === 0)) return undefined;
  const names = issues.texts(source, '_itemTypes', prefix);
  for (const name of names) {
    if (!known.some((namespace) => namespace?.has(name))) issues.add(`${prefix}_itemTypes`, `the schema definition has no item type ${name}`);
  }
  return names;
}
