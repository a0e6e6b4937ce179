import { ServiceError } from '@twinyard/conventions';
import { type JsonObject, parseFilter } from '@twinyard/documents';
import { isObject } from '../storage/filters';
import { Issues, requireObject } from '../storage/issues';
import type { Binding, ConfigData, TelemetryConfigDraft } from './telemetry-config';

/** Contract 2.7. */
const LENGTHS = { _name: 100, _shortName: 22, _userType: 100 } as const;
const MAX_BINDINGS = 100;

/** What selects collections here; how their versions are searched is no part of it. */
export const DESC_FIELDS = ['_id', '_userItemId', '_userType', '_itemClass', '_namespaces'] as const;

/** The whole of a config, on create and on update: clients send whole records back, and what is not named here is ignored. */
export function parseTelemetryConfig(body: unknown, nsfilter: readonly string[]): TelemetryConfigDraft {
  const source = requireObject(body);
  const issues = new Issues();
  const [name, shortName, userType] = (['_name', '_shortName', '_userType'] as const).map((field) => issues.text(source, field, '', { max: LENGTHS[field] }) ?? '') as [string, string, string];
  const description = issues.text(source, '_description', '', { required: false });
  const namespaces = issues.texts(source, '_namespaces', '');
  for (const namespace of namespaces) if (!nsfilter.includes(namespace)) issues.add('_namespaces', `${namespace} is not in nsfilter`);
  const configData = parseConfigData(source['_configData'], issues);
  issues.refuse();
  return {
    _name: name, _shortName: shortName, _userType: userType, _namespaces: namespaces, _configData: configData,
    ...(description !== undefined && { _description: description }),
  };
}

function parseConfigData(value: unknown, issues: Issues): ConfigData {
  const at = '_configData';
  if (!isObject(value)) {
    issues.add(at, value === undefined ? 'is required' : 'must be an object');
    return { _bindings: [] };
  }
  const script = issues.object(value, '_normalizationScript', `${at}.`);
  const userType = script && issues.text(script, '_userType', `${at}._normalizationScript.`, { max: LENGTHS._userType });
  return { _bindings: parseBindings(value['_bindings'], `${at}._bindings`, issues), ...(userType !== undefined && { _normalizationScript: { _userType: userType } }) };
}

function parseBindings(value: unknown, at: string, issues: Issues): Binding[] {
  if (!Array.isArray(value)) {
    issues.add(at, value === undefined ? 'is required' : 'must be an array');
    return [];
  }
  if (value.length > MAX_BINDINGS) issues.add(at, `must have at most ${MAX_BINDINGS} entries`);
  return value.slice(0, MAX_BINDINGS).flatMap((entry: unknown, index) => parseBinding(entry, `${at}[${index}]`, issues));
}

function parseBinding(entry: unknown, at: string, issues: Issues): Binding[] {
  if (!isObject(entry)) {
    issues.add(at, 'must be an object');
    return [];
  }
  const desc = issues.object(entry, 'collectionDesc', `${at}.`);
  if (desc === undefined && !isObject(entry['collectionDesc'])) issues.add(`${at}.collectionDesc`, 'is required');
  const query = issues.object(entry, 'query', `${at}.`);
  if (query !== undefined) checkQuery(query, `${at}.query`, issues);
  return [{ collectionDesc: parseDesc(desc ?? {}, `${at}.collectionDesc`, issues), ...(query && { query }) }];
}

function parseDesc(desc: Record<string, unknown>, at: string, issues: Issues): JsonObject {
  const known = DESC_FIELDS.filter((field) => desc[field] !== undefined);
  if (known.length === 0) issues.add(at, `must name one of ${DESC_FIELDS.join(', ')}`);
  const isText = (text: unknown) => typeof text === 'string' && text !== '';
  for (const field of known) {
    const values = [desc[field]].flat();
    if (values.length === 0 || !values.every(isText)) issues.add(`${at}.${field}`, 'must be a text, or an array of texts');
  }
  return Object.fromEntries(known.map((field) => [field, desc[field]]));
}

/** It will be a filter on telemetry items: whoever writes it hears of its faults, not whoever sends readings. */
function checkQuery(query: JsonObject, at: string, issues: Issues): void {
  try {
    parseFilter(query, { atOnce: true });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    issues.add(at, error.message);
  }
}
