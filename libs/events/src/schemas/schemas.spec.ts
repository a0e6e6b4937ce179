import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { breakingChanges } from './breaking-changes';
import { brokenContracts, staleFiles, writeFiles } from './committed-files';
import { jsonSchemaOf, type JsonSchema } from './json-schemas';

describe('the committed schemas', () => {
  it('say what the catalogue says (else: node tools/build.mjs && node dist/libs/events/src/write-schemas.js)', () => {
    expect(staleFiles()).toEqual([]);
  });

  it('only gained optional fields', () => {
    expect(brokenContracts()).toEqual([]);
  });

  it('are not rewritten by a change that breaks them', () => {
    const root = mkdtempSync(join(tmpdir(), 'twinyard-schemas-'));
    writeFiles(root);
    expect([staleFiles(root), brokenContracts(root)]).toEqual([[], []]);
    const file = join(root, 'libs/events/schemas/filesvc.File.schema.json');
    const released = structuredClone(jsonSchemaOf('filesvc.File')) as { properties: { resource: { properties: Record<string, unknown> } } };
    released.properties.resource.properties._checksum = { type: 'string' };
    writeFileSync(file, JSON.stringify(released));
    expect(staleFiles(root)).toEqual(['filesvc.File.schema.json']);
    expect(() => writeFiles(root)).toThrow('filesvc.File.schema.json: resource._checksum: was removed');
    rmSync(root, { recursive: true });
  });
});

describe('breakingChanges', () => {
  const object = (properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema => ({ type: 'object', properties, required });
  const text = { type: 'string' };
  const released = object({ id: text, size: { type: 'integer' }, owner: object({ name: text }, ['name']) }, ['id', 'owner']);

  it('accepts the same schema, other words, and new optional fields at any depth', () => {
    expect(breakingChanges(released, released)).toEqual([]);
    const next = object({ id: { ...text, description: 'the id' }, size: { type: 'integer' }, tag: text, owner: object({ name: text, mail: text }, ['name']) }, ['owner', 'id']);
    expect(breakingChanges(released, { ...next, title: 'another' })).toEqual([]);
  });

  it.each<[string, JsonSchema, string[]]>([
    ['a removed field', object({ id: text, owner: object({ name: text }, ['name']) }, ['id', 'owner']), ['size: was removed']],
    ['a new required field', object({ ...released.properties, tag: text }, ['id', 'owner', 'tag']), ['tag: is new and required']],
    ['an optional field that became required', object({ ...released.properties }, ['id', 'owner', 'size']), ['size: became required']],
    ['a required field that became optional', object({ ...released.properties }, ['owner']), ['id: became optional']],
    ['another type', object({ ...released.properties, size: text }, ['id', 'owner']), ['size: its meaning changed']],
    ['a narrower value', object({ ...released.properties, id: { ...text, maxLength: 3 } }, ['id', 'owner']), ['id: its meaning changed']],
    ['a change further down', object({ ...released.properties, owner: object({ name: { type: 'null' } }, ['name']) }, ['id', 'owner']), ['owner.name: its meaning changed']],
    ['an object that is none any more', object({ ...released.properties, owner: text }, ['id', 'owner']), ['owner: is no object any more']],
    ['a closed object', { ...released, additionalProperties: false }, ['the schema: its meaning changed']],
  ])('reports %s', (_name, next, faults) => {
    expect(breakingChanges(released, next)).toEqual(faults);
  });
});
