import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type StepScan, scanStep } from '@twinyard/testing';
import { isAtHand } from '@twinyard/testing/shared-data';
import type { IfcKey, IfcModel } from './ifc-model';
import { readIfc } from './read-ifc';

const ROOT = join(__dirname, '../../../..');
const FILES = ['tools/sample/sample-building.ifc', '../shared/data/duplex.ifc', '../shared/data/office-a.ifc'];

describe.each(FILES)('%s, counted from its text', (path) => {
  const file = join(ROOT, path);
  const there = isAtHand(path);
  const it_ = there || path.startsWith('tools/') ? it : it.skip;
  const why = there ? '' : ' (skipped: the file is not here)';
  let model: IfcModel;
  let scan: StepScan;

  beforeAll(async () => {
    if (!there) return;
    model = await readIfc(readFileSync(file));
    scan = scanStep(readFileSync(file, 'utf8'));
  });

  it_(`has every IfcProduct with its class${why}`, () => {
    expect(new Map(model.elements.map(({ sourceId, ifcClass }) => [sourceId, ifcClass.toUpperCase()]))).toEqual(scan.products);
    expect(model.elements).toHaveLength(scan.products.size);
    expect(scan.products.size).toBeGreaterThan(20);
  });

  it_(`names classes as the schema writes them${why}`, () => {
    expect(model.elements.map(({ ifcClass }) => ifcClass)).toContain('IfcBuildingStorey');
    expect(model.elements.filter(({ ifcClass }) => !/^Ifc[A-Z][a-z]/.test(ifcClass))).toEqual([]);
  });

  it_(`has every property of every product${why}`, () => {
    const counted = new Map(model.elements.map(({ sourceId, properties }) => [sourceId, Object.keys(properties).length]));
    expect(counted).toEqual(new Map([...scan.products.keys()].map((globalId) => [globalId, scan.propertiesOf(globalId)])));
    expect(scan.totalProperties).toBeGreaterThan(100);
  });

  it_(`keeps the name and the set of each property${why}`, () => {
    const differing = model.elements.filter(({ sourceId, properties }) => {
      const read = Object.values(properties).map(({ psDispName, dName }) => `${psDispName}: ${dName}`);
      return !sameTexts(read, scan.propertyList(sourceId).map(({ set, name }) => `${set}: ${name}`));
    });
    expect(differing).toEqual([]);
  });

  it_(`keeps the value of each text, number and truth value${why}`, () => {
    const differing = model.elements.filter(({ sourceId, properties }) => {
      const read = Object.values(properties).map(({ val }) => val).filter((val) => val !== null && typeof val !== 'object');
      return !sameTexts(read.map(String), scan.propertyList(sourceId).flatMap((property) => plainValue(property.written) ?? []).map(String));
    });
    expect(differing).toEqual([]);
  });

  it_(`has every storey, in the spatial structure and as an element${why}`, () => {
    const storeys = model.containers.filter(({ ifcClass }) => ifcClass === 'IfcBuildingStorey');
    const byId = (a: { globalId: string }, b: { globalId: string }) => a.globalId.localeCompare(b.globalId);
    expect(storeys.map(({ sourceId, name }) => ({ globalId: sourceId, name })).sort(byId)).toEqual([...scan.storeys].sort(byId));
    expect(storeys.every(({ elevation }) => typeof elevation === 'number')).toBe(true);
  });

  it_(`has every type, and each element's type${why}`, () => {
    expect(new Map(model.types.map(({ sourceId, ifcClass }) => [sourceId, ifcClass.toUpperCase()]))).toEqual(scan.types);
    const typeIds = new Map(model.types.map(({ key, sourceId }) => [key, sourceId]));
    const typed = model.elements.flatMap(({ sourceId, typeKey }): [string, string][] => (typeKey === undefined ? [] : [[sourceId, typeIds.get(typeKey) ?? '']]));
    expect(new Map(typed)).toEqual(scan.typeOf);
  });

  it_(`has every property of every type${why}`, () => {
    const counted = new Map(model.types.map(({ sourceId, properties }) => [sourceId, Object.keys(properties).length]));
    expect(counted).toEqual(new Map([...scan.types.keys()].map((globalId) => [globalId, scan.propertiesOf(globalId)])));
  });

  it_(`puts the walls of each storey into it${why}`, () => {
    const walls = (key: IfcKey) => model.elements.filter((element) => element.containerKey === key && /^IfcWall/.test(element.ifcClass));
    const storeys = model.containers.filter(({ ifcClass }) => ifcClass === 'IfcBuildingStorey');
    for (const { key, sourceId } of storeys) {
      expect(walls(key).map((wall) => wall.sourceId).sort()).toEqual([...scan.wallsOfStorey(sourceId)].sort());
    }
    expect(storeys.some(({ key }) => walls(key).length > 3)).toBe(true);
  });

  it_(`finds a container of the file for every element, parts, doors and openings too${why}`, () => {
    const containers = new Set(model.containers.map(({ key }) => key));
    expect(model.elements.filter(({ containerKey }) => containerKey === undefined || !containers.has(containerKey))).toEqual([]);
  });

  it_(`lists parents before children${why}`, () => {
    const seen = new Set<IfcKey | undefined>([undefined]);
    for (const { key, parentKey } of model.containers) {
      expect(seen.has(parentKey)).toBe(true);
      seen.add(key);
    }
    expect(model.containers[0]?.ifcClass).toBe('IfcProject');
  });
});

describe('the sample, written otherwise', () => {
  const text = readFileSync(join(ROOT, FILES[0] as string), 'utf8');
  const outsideTexts = (change: (part: string) => string) => text.replace(/'(?:[^']|'')*'|[^']+/g, (part) => (part.startsWith("'") ? part : change(part)));
  const read = (written: string) => readIfc(Buffer.from(written));
  let model: IfcModel;

  beforeAll(async () => { model = await read(text); });

  it.each<[string, string]>([
    ['with names in mixed case', outsideTexts((part) => part.replace(/IFC[A-Z]+/g, (name) => `Ifc${name[3]}${name.slice(4).toLowerCase()}`))],
    ['in small letters, the header too', outsideTexts((part) => part.toLowerCase())],
    ['with CR as line end', text.replaceAll(/\r?\n/g, '\r')],
    ['with comments and line ends between all tokens', outsideTexts((part) => part.replace(/([,(])/g, '$1 /* #1=( \' ; */\n'))],
    ['in one line', text.replaceAll(/\r?\n/g, '')],
  ])('%s, is the same model', async (_, written) => {
    expect(await read(written)).toEqual(model);
  });

  it('with numbers beyond 2^53, is the same but for these', async () => {
    const far = await read(outsideTexts((part) => part.replace(/#(\d+)/g, (_, number: string) => `#${2n ** 62n + BigInt(number)}`)));
    const back = (key: IfcKey) => Number(BigInt(key) - 2n ** 62n);
    const numbered = (value: unknown) => JSON.parse(JSON.stringify(value, (name, one: unknown) => (/^key$|Key$/.test(name) ? back(one as IfcKey) : one))) as unknown;
    expect(far.report).toEqual(model.report);
    expect(byKey(numbered(far.elements))).toEqual(byKey(JSON.parse(JSON.stringify(model.elements))));
    expect(byKey(numbered(far.containers))).toEqual(byKey(JSON.parse(JSON.stringify(model.containers))));
  });
});

const byKey = (objects: unknown) => [...(objects as { readonly key: number }[])].sort((a, b) => a.key - b.key);
const sameTexts = (some: readonly string[], others: readonly string[]) => [...some].sort().join('\n') === [...others].sort().join('\n');

/** The value of what the file writes, where it is text, a number or a truth value. */
function plainValue(written: string): string | number | boolean | undefined {
  const inner = /^IFC[A-Z0-9]+\((.*)\)$/s.exec(written)?.[1] ?? written;
  if (inner.startsWith("'")) return inner.slice(1, -1).replaceAll("''", "'");
  if (inner === '.T.' || inner === '.F.') return inner === '.T.';
  return inner === '' || Number.isNaN(Number(inner)) ? undefined : Number(inner);
}
