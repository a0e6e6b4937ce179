import { atField, invalid } from '@twinyard/conventions';
import type { JsonObject } from './document';
import { parsePath } from './filter/path';

/** A tree of names; a leaf is a name that is kept or left out whole. */
type Names = { get(name: string): Names | true | undefined; [Symbol.iterator](): Iterator<[string, Names | true]> };

export interface ParsedProjection {
  readonly keeps: boolean;
  readonly names: Names;
}

/** Inclusion or exclusion (contract 2.3); `_id` may be left out of an inclusion and stays in it otherwise. */
export const parseProjection = (projection: JsonObject): ParsedProjection | undefined => atField('project', () => readProjection(projection));

function readProjection(projection: JsonObject): ParsedProjection | undefined {
  const flags = Object.entries(projection).map(([key, value]) => [key, isKept(key, value)] as const);
  if (flags.length === 0) return undefined;
  const rest = flags.filter(([key]) => key !== '_id');
  const keeps = rest.length > 0 ? rest[0]?.[1] === true : flags[0]?.[1] === true;
  if (rest.some(([, kept]) => kept !== keeps)) throw invalid('project: either names what is kept or what is left out');
  const names = new Map<string, Names | true>();
  for (const [key] of rest) addName(names, parsePath(key, 'project'), key);
  const id = flags.find(([key]) => key === '_id')?.[1] ?? true;
  if (id === keeps) names.set('_id', true);
  return { keeps, names };
}

export function takesIdOnly(projection: ParsedProjection | undefined): boolean {
  return projection?.keeps === true && [...projection.names].every(([name]) => name === '_id');
}

function isKept(key: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0;
  throw invalid(`project: ${key} takes 0 or 1`);
}

function addName(names: Map<string, Names | true>, path: readonly string[], key: string): void {
  let at = names;
  for (const [position, step] of path.entries()) {
    const there = at.get(step);
    const last = position === path.length - 1;
    if (there === true || (last && there !== undefined)) throw invalid(`project: ${key} is named twice`);
    if (last) at.set(step, true);
    else at = enter(at, step);
  }
}

function enter(names: Map<string, Names | true>, step: string): Map<string, Names | true> {
  const inner = (names.get(step) as Map<string, Names | true> | undefined) ?? new Map<string, Names | true>();
  names.set(step, inner);
  return inner;
}

export function project<T extends object>(document: T, { keeps, names }: ParsedProjection): T {
  return (keeps ? keep(document, names) : omit(document, names)) as T;
}

/** MongoDB: goes through arrays of any depth; what is no object under a dotted name is left out. */
function keep(value: unknown, names: Names): unknown {
  if (Array.isArray(value)) return value.filter(isContainer).map((element) => keep(element, names));
  const kept: Record<string, unknown> = {};
  for (const [name, inner] of names) {
    const child = Object.hasOwn(value as object, name) ? (value as JsonObject)[name] : undefined;
    if (child === undefined) continue;
    if (inner === true) kept[name] = child;
    else if (isContainer(child)) kept[name] = keep(child, inner);
  }
  return kept;
}

function omit(value: unknown, names: Names): unknown {
  if (Array.isArray(value)) return value.map((element) => (isContainer(element) ? omit(element, names) : element));
  const rest: Record<string, unknown> = {};
  for (const [name, child] of Object.entries(value as object)) {
    const inner = names.get(name);
    if (inner === true) continue;
    rest[name] = inner !== undefined && isContainer(child) ? omit(child, inner) : child;
  }
  return rest;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
