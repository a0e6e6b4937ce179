import { type Paging, parsePaging } from '@twinyard/conventions';
import type { JsonObject } from '@twinyard/documents';
import { isObject } from '../storage/filters';
import type { Issues } from '../storage/issues';
import { PAGE_BOUNDS } from '../storage/list-query';
import type { RelatedDesc } from './search-request';

const RESERVED_NAMES: ReadonlySet<string> = new Set(['_id', '_metadata', '__proto__', 'constructor', 'prototype']);

/** A part of a search body with its place in it; what is missing or of the wrong kind is noted there. */
export class SearchPart {
  constructor(
    readonly source: Record<string, unknown>,
    readonly at: string,
    readonly issues: Issues,
  ) {}

  part(name: string): SearchPart {
    const value = this.source[name];
    if (!isObject(value)) this.issues.add(`${this.at}.${name}`, value === undefined ? 'is required' : 'must be an object');
    return new SearchPart(isObject(value) ? value : {}, `${this.at}.${name}`, this.issues);
  }

  /** Missing: none. */
  parts(name: string): SearchPart[] {
    const value = this.source[name];
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) {
      this.issues.add(`${this.at}.${name}`, 'must be an array');
      return [];
    }
    return value.map((entry, index) => {
      const at = `${this.at}.${name}[${index}]`;
      if (!isObject(entry)) this.issues.add(at, 'must be an object');
      return new SearchPart(isObject(entry) ? entry : {}, at, this.issues);
    });
  }

  object(name: string): JsonObject | undefined {
    return this.issues.object(this.source, name, `${this.at}.`);
  }

  text(name: string, required = true): string | undefined {
    return this.issues.text(this.source, name, `${this.at}.`, { required });
  }

  /** `query`, and `project`, `sort`, `page` here or in `options`. */
  list(): { readonly query?: JsonObject; readonly projection?: JsonObject; readonly sort?: JsonObject; readonly paging: Paging } {
    const options = new SearchPart(this.object('options') ?? {}, `${this.at}.options`, this.issues);
    const query = this.object('query');
    const projection = this.object('project') ?? options.object('project');
    const sort = this.object('sort') ?? options.object('sort');
    const page = options.object('page') ?? this.object('page') ?? {};
    return {
      ...(query && { query }), ...(projection && { projection }), ...(sort && { sort }),
      paging: parsePaging({ _offset: page['_offset'], _pageSize: page['_pageSize'] }, PAGE_BOUNDS),
    };
  }

  /** The name that a result is put under. */
  alias(required = true): string {
    const as = this.text('as', required) ?? '';
    if (as.startsWith('$') || RESERVED_NAMES.has(as)) this.issues.add(`${this.at}.as`, 'is not allowed as a name');
    return as;
  }

  relatedDesc(): RelatedDesc {
    const desc = this.part('relatedDesc');
    const userType = valuesOf(desc.source['_relatedUserType']);
    const key = valuesOf(desc.source['_relatedUserItemId'] ?? desc.source['_relatedUserItemDbId']);
    if (userType === undefined && key === undefined) this.issues.add(desc.at, 'needs _relatedUserType or _relatedUserItemId');
    return {
      collections: { ...(userType !== undefined && { _userType: userType }), ...(key !== undefined && { $or: [{ _userItemId: key }, { _id: key }] }) },
      direction: desc.source['_isInverse'] === true ? 'inverse' : 'outgoing',
    };
  }
}

export const DESC_FIELDS = ['_userItemId', '_id', '_userType', '_itemClass', '_namespaces', '_versions.all', '_versions._version'];

/** `collectionDesc`: the fields of contract 2.6, a value or an array of values each. Other fields are ignored. */
export function parseCollectionDesc(parent: SearchPart): JsonObject {
  const desc = parent.part('collectionDesc');
  const known = DESC_FIELDS.flatMap((field) => {
    const value = valuesOf(desc.source[field]);
    return value === undefined ? [] : [[field, value] as const];
  });
  if (known.length === 0) parent.issues.add(desc.at, `needs one of ${DESC_FIELDS.join(', ')}`);
  const filter = Object.fromEntries(known);
  // A version is looked for among all of them, also when the switch was left out.
  return filter['_versions._version'] === undefined ? filter : { ...filter, '_versions.all': true };
}

const valuesOf = (value: unknown): unknown => {
  if (value === null || value === undefined) return undefined;
  return Array.isArray(value) ? { $in: value } : value;
};
