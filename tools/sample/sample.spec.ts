import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IFCELEMENT, IFCGEOGRAPHICELEMENT, IfcAPI, IFCROOT, IFCSPACE, LogLevel } from 'web-ifc';
import { PLAN_FILE, sampleFiles, samplePlan } from './generate';
import { sampleBuilding } from './sample-building';
import { ifcGuid } from './step-writer';

const files = sampleFiles();
const building = files['sample-building.ifc'] ?? '';

describe('the sample files', () => {
  it.each(Object.keys(files))('%s is what the generator writes', (name) => {
    expect(readFileSync(join(__dirname, name), 'utf8')).toBe(files[name]);
  });

  it('the plan is what the platform draws', async () => {
    expect(readFileSync(join(__dirname, '../..', PLAN_FILE), 'utf8')).toBe(await samplePlan());
  });
});

describe('the sample building', () => {
  const api = new IfcAPI();
  let model = -1;

  beforeAll(async () => {
    await api.Init(undefined, true);
    api.SetLogLevel(LogLevel.LOG_LEVEL_OFF);
    model = api.OpenModel(new TextEncoder().encode(building));
  });
  afterAll(() => api.CloseModel(model));

  const lines = (type: number) => [...api.GetLineIDsWithType(model, type, true)].map((id) => ({ id, ...(api.GetLine(model, id) as SampleLine) }));
  const named = (type: number, name: string) => lines(type).find(({ Name }) => Name?.value === name)?.id ?? 0;

  it('opens, and is small', () => {
    expect(model).toBeGreaterThanOrEqual(0);
    expect(building.length).toBeLessThan(150_000);
  });

  it('gives every rooted entity a valid GlobalId of its own', () => {
    const ids = lines(IFCROOT).map(({ GlobalId }) => GlobalId.value);
    expect(ids.length).toBeGreaterThan(200);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[0-3][0-9A-Za-z_$]{21}$/.test(id))).toEqual([]);
  });

  it('has a solid for each element and room', () => {
    const shaped = [...lines(IFCELEMENT), ...lines(IFCSPACE)];
    expect(shaped.length).toBe(55);
    expect(shaped.filter(({ id }) => boundsOf(id) === undefined).map(({ Name }) => Name?.value)).toEqual([]);
  });

  it('shows what a viewer shows: all elements that are not openings', () => {
    let meshes = 0;
    api.StreamAllMeshes(model, () => void (meshes += 1));
    expect(meshes).toBe(34);
  });

  it.each([
    ['South wall G', { x: [0, 12], y: [0, 0.3], z: [0, 2.9] }],
    ['East wall U', { x: [11.7, 12], y: [0.3, 7.7], z: [3.2, 6.1] }],
    ['Front wall G', { x: [5.94, 6.06], y: [0.3, 3.94], z: [0, 2.9] }],
    ['Window G.1', { x: [8.2, 9.8], y: [0.12, 0.18], z: [0.9, 2.2] }],
  ])('puts %s where the plan has it', (name, expected) => {
    const bounds = boundsOf(named(IFCELEMENT, name));
    const millimetres = (range: readonly number[] | undefined) => range?.map((value) => Math.round(value * 1_000) / 1_000 + 0);
    expect({ x: millimetres(bounds?.x), y: millimetres(bounds?.y), z: millimetres(bounds?.z) }).toEqual(expected);
  });

  it('cuts the openings out of the walls', () => {
    expect(verticesOf(named(IFCELEMENT, 'South wall G'))).toBeGreaterThan(verticesOf(named(IFCELEMENT, 'West wall G')));
  });

  /** In the file's axes (z up); the parser turns them for viewers (y up, z towards the viewer). */
  function boundsOf(id: number): Bounds | undefined {
    const points = pointsOf(id);
    if (points.length === 0) return undefined;
    const range = (axis: 0 | 1 | 2) => [Math.min(...points.map((point) => point[axis])), Math.max(...points.map((point) => point[axis]))] as const;
    return { x: range(0), y: range(1), z: range(2) };
  }

  const verticesOf = (id: number) => pointsOf(id).length;

  function pointsOf(id: number): Point[] {
    const found: Point[] = [];
    const mesh = api.GetFlatMesh(model, id);
    for (let index = 0; index < mesh.geometries.size(); index++) {
      const part = mesh.geometries.get(index);
      const geometry = api.GetGeometry(model, part.geometryExpressID);
      const vertices = api.GetVertexArray(geometry.GetVertexData(), geometry.GetVertexDataSize());
      for (let at = 0; at < vertices.length; at += 6) found.push(turn(part.flatTransformation, [...vertices.subarray(at, at + 3)]));
    }
    return found;
  }
});

describe('the sample readings', () => {
  const rows = (files['sample-readings.csv'] ?? '').trim().split('\n').slice(1).map((row) => row.split(','));

  it('are hourly over sixty days', () => {
    const times = rows.map(([timestamp]) => Date.parse(timestamp ?? ''));
    expect(times).toHaveLength(60 * 24);
    expect(times.every((time, index) => index === 0 || time - (times[index - 1] ?? 0) === 3_600_000)).toBe(true);
  });

  it('are the temperatures of a room, warmer by day than by night', () => {
    const mean = (hour: number) => rows.filter((_, index) => index % 24 === hour).reduce((sum, [, value]) => sum + Number(value), 0) / 60;
    expect(rows.every(([, value]) => Number(value) > 14 && Number(value) < 28)).toBe(true);
    expect(mean(15) - mean(3)).toBeGreaterThan(2);
  });
});

describe('a GlobalId', () => {
  it.each([
    ['00000000000000000000000000000000', '0000000000000000000000'],
    ['ffffffffffffffffffffffffffffffff', '3$$$$$$$$$$$$$$$$$$$$$'],
  ])('%s is %s', (hex, guid) => expect(ifcGuid(Buffer.from(hex, 'hex'))).toBe(guid));
});

interface SampleLine {
  readonly GlobalId: { readonly value: string };
  readonly Name?: { readonly value: string } | null;
}
type Point = readonly [number, number, number];
interface Bounds {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
  readonly z: readonly [number, number];
}

/** A column-major matrix on a point, then from the viewer's axes to the file's. */
function turn(matrix: readonly number[], vertex: readonly number[]): Point {
  const row = (index: number) => [0, 1, 2].reduce((sum, column) => sum + (matrix[column * 4 + index] ?? 0) * (vertex[column] ?? 0), matrix[12 + index] ?? 0);
  return [row(0), -row(2), row(1)];
}

it('has a terrain around it where one is asked for, as large as is asked', async () => {
  const text = sampleBuilding({ terrainSide: 30 });
  const api = new IfcAPI();
  await api.Init(undefined, true);
  api.SetLogLevel(LogLevel.LOG_LEVEL_OFF);
  const model = api.OpenModel(new TextEncoder().encode(text));
  const sizes: number[] = [];
  api.StreamAllMeshes(model, ({ expressID, geometries }) => {
    if (api.GetLineType(model, expressID) === IFCGEOGRAPHICELEMENT) sizes.push(api.GetGeometry(model, geometries.get(0).geometryExpressID).GetIndexDataSize());
  });
  api.CloseModel(model);
  expect(sizes).toEqual([29 * 29 * 2 * 3]);
});
