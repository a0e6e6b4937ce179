import { type Paging, parsePaging, ServiceError } from '@twinyard/conventions';
import { type JsonObject, parseFilter, parseProjection, parseSort } from '@twinyard/documents';
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

  /** As a filter takes it: a value or operators, or a list of which one fits. */
  values(name: string): unknown {
    const value = this.source[name] ?? undefined;
    if (!Array.isArray(value)) return value;
    if (!value.every(isScalar)) this.issues.add(`${this.at}.${name}`, 'must be a value, or a list of values');
    return { $in: value };
  }

  query(): JsonObject | undefined {
    return this.readable('query', parseFilter);
  }

  projection(name = 'project'): JsonObject | undefined {
    return this.readable(name, parseProjection);
  }

  sort(): JsonObject | undefined {
    return this.readable('sort', parseSort);
  }

  /** Its faults are told here: a search that meets no collection asks the store for nothing. */
  private readable(name: string, parse: (value: JsonObject) => unknown): JsonObject | undefined {
    const value = this.object(name);
    try {
      if (value !== undefined) parse(value);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid') throw error;
      this.issues.add(`${this.at}.${name}`, error.message.replace(/^(query|project|sort): /, ''));
    }
    return value;
  }

  text(name: string, required = true): string | undefined {
    return this.issues.text(this.source, name, `${this.at}.`, { required });
  }

  /** Missing: false. */
  flag(name: string): boolean {
    const value = this.source[name] ?? false;
    if (typeof value !== 'boolean') this.issues.add(`${this.at}.${name}`, 'must be true or false');
    return value === true;
  }

  /** `query`, and `project`, `sort`, `page` here or in `options`. */
  list(): { readonly query?: JsonObject; readonly projection?: JsonObject; readonly sort?: JsonObject; readonly paging: Paging } {
    const options = new SearchPart(this.object('options') ?? {}, `${this.at}.options`, this.issues);
    const query = this.query();
    const projection = this.projection() ?? options.projection();
    const sort = this.sort() ?? options.sort();
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
    const userType = desc.values('_relatedUserType');
    const key = desc.values('_relatedUserItemId') ?? desc.values('_relatedUserItemDbId');
    if (userType === undefined && key === undefined) this.issues.add(desc.at, 'needs _relatedUserType or _relatedUserItemId');
    return {
      collections: { ...(userType !== undefined && { _userType: userType }), ...(key !== undefined && { $or: [{ _userItemId: key }, { _id: key }] }) },
      direction: desc.flag('_isInverse') ? 'inverse' : 'outgoing',
    };
  }
}

export const DESC_FIELDS = ['_userItemId', '_id', '_userType', '_itemClass', '_namespaces', '_versions.all', '_versions._version'];

/** `collectionDesc`: the fields of contract 2.6, a value or an array of values each. Other fields are ignored. */
export function parseCollectionDesc(parent: SearchPart): JsonObject {
  const desc = parent.part('collectionDesc');
  const known = DESC_FIELDS.flatMap((field) => {
    const value = desc.values(field);
    return value === undefined ? [] : [[field, value] as const];
  });
  if (known.length === 0) parent.issues.add(desc.at, `needs one of ${DESC_FIELDS.join(', ')}`);
  const filter = Object.fromEntries(known);
  // A version is looked for among all of them, also when the switch was left out.
  return filter['_versions._version'] === undefined ? filter : { ...filter, '_versions.all': true };
}

const isScalar = (value: unknown): boolean => value === null || typeof value !== 'object';
