import type { IfcProperty } from './ifc-model';

const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);

/** A property under the name that it should have: its own, or `<complex>/<name>`. */
export interface NamedProperty {
  readonly name: string;
  readonly property: IfcProperty;
}

/** Gives each property of an object a key of its own (see IfcProperties); none is lost. */
export function toProperties(found: readonly NamedProperty[]): Record<string, IfcProperty> {
  const keyed = new Map<string, IfcProperty>();
  for (const { name, property } of found) keyed.set(freeKey(keyed, name, property.psDispName), property);
  return Object.fromEntries(keyed);
}

function freeKey(taken: ReadonlyMap<string, unknown>, name: string, set: string): string {
  const plain = toKey(name);
  if (!taken.has(plain)) return plain;
  const qualified = toKey(`${set}/${name}`);
  let key = qualified;
  for (let count = 2; taken.has(key); count++) key = `${qualified} (${count})`;
  return key;
}

/**
 * The item service refuses `$` first and the names of JavaScript's own members (contract 2.3), and a path could not
 * address a key with a dot inside: both become `_`. A leading dot is allowed.
 */
export function toKey(name: string): string {
  const key = name.replace(/(?<=.)\./gsu, '_').replace(/^\$/u, '_');
  if (key === '') return 'unnamed';
  return RESERVED.has(key) ? `_${key}` : key;
}
