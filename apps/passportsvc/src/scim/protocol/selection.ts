import { listParameter, type QueryValues } from '@twinyard/conventions';
import { isObject, type Json, type JsonObject } from '../schema/attribute-values';
import { ENTERPRISE_SCHEMA_ID, findTarget } from '../schema/user-schema';
import { invalidValue } from './scim-error';

/** Attributes that are always returned, whatever is asked for (RFC 7643 section 2.4). */
const ALWAYS = ['schemas', 'id'];

/** Which attributes of a resource are shown (RFC 7644 section 3.9). Unknown names select nothing. */
export interface Selection {
  readonly only?: readonly string[];
  readonly without?: readonly string[];
}

export function parseSelection(query: QueryValues): Selection {
  const [only, without] = [pathsOf(query, 'attributes'), pathsOf(query, 'excludedAttributes')];
  if (only !== undefined && without !== undefined) throw invalidValue('attributes and excludedAttributes exclude each other');
  return { ...(only && { only }), ...(without && { without }) };
}

function pathsOf(query: QueryValues, name: string): readonly string[] | undefined {
  const names = listParameter(query, name)?.map((text) => text.trim()).filter((text) => text !== '');
  return names === undefined || names.length === 0 ? undefined : names.map(canonicalPath);
}

/** `urn:…:core:2.0:User:NAME.givenname` → `name.givenName`; within the extension, its id and the name. */
function canonicalPath(name: string): string {
  const target = findTarget(name);
  if (target === undefined) return name.toLowerCase() === ENTERPRISE_SCHEMA_ID.toLowerCase() ? ENTERPRISE_SCHEMA_ID : name;
  const path = [target.attribute.name, ...(target.sub === undefined ? [] : [target.sub.name])].join('.');
  return target.extension === undefined ? path : `${target.extension}:${path}`;
}

export function select(resource: JsonObject, { only, without }: Selection): JsonObject {
  if (only !== undefined) return shown(resource, (path) => ALWAYS.includes(path) || only.some((wanted) => isAt(path, wanted)), (path) => only.some((wanted) => isAt(wanted, path)));
  if (without !== undefined) return shown(resource, (path) => ALWAYS.includes(path) || !without.some((hidden) => isAt(path, hidden)), () => false);
  return resource;
}

/** Whether a path is the other one, or inside of it. */
const isAt = (path: string, other: string) => path === other || path.startsWith(`${other}.`) || path.startsWith(`${other}:`);

/** Keeps what `isShown` holds for; goes into what it does not hold for where something inside is wanted, and into all else to leave parts out. */
function shown(object: JsonObject, isShown: (path: string) => boolean, holdsWanted: (path: string) => boolean, prefix = ''): JsonObject {
  const entries = Object.entries(object).flatMap(([name, value]) => {
    const path = prefix + name;
    if (value === undefined || (!isShown(path) && !holdsWanted(path))) return [];
    const part = inside(value, (one) => shown(one, isShown, holdsWanted, `${path}${name.startsWith('urn:') ? ':' : '.'}`));
    return part === undefined ? [] : [[name, part] as const];
  });
  return Object.fromEntries(entries);
}

/** What a complex value keeps; nothing when nothing of it is left. */
function inside(value: Json, keep: (object: JsonObject) => JsonObject): Json | undefined {
  if (isObject(value)) {
    const kept = keep(value);
    return Object.keys(kept).length === 0 ? undefined : kept;
  }
  if (!Array.isArray(value)) return value;
  const values = (value as readonly Json[]).flatMap((one) => inside(one, keep) ?? []);
  return values.length === 0 ? undefined : values;
}
