import { readStep, type StepReading, structureFaultOf, TooDamaged } from '@twinyard/step';
import type { FlatMesh, IfcAPI, PlacedGeometry } from 'web-ifc';
import { NoPicture } from '../../picture';
import { isCrash, refusalOf, startParser, withinMemory } from './parser-bounds';
import type { Solid } from '../scene';

/** Metres from zero: farther away than the other side of the earth is a mistake. */
const MAX_DISTANCE = 2e7;
/** Sides of a circle: a round column is round to the eye, and pipes stay affordable. */
const CIRCLE_SEGMENTS = 24;

/** An entity as the parser gives it. */
export interface IfcEntity {
  readonly expressID: number;
  readonly [attribute: string]: unknown;
}

/** Of rotation and place: x', y', z' of x, y, z, column by column. */
type Matrix = readonly number[];

/** The machine below the parser gave up (its stack, its memory): this parser is not to be asked again. */
export class ParserCrash extends Error {
  override readonly name = 'ParserCrash';

  /** @param element that it was asked for. */
  constructor(readonly element: number, options: ErrorOptions) {
    super('The parser of models crashed', options);
  }
}

/** An open model: the one place that knows the parser. Must be closed. */
export class IfcGeometry {
  private constructor(
    private readonly api: IfcAPI,
    private readonly model: number,
    /** Whether every entity of the file could be read. */
    readonly isWhole: boolean,
  ) {}

  /** @throws NoPicture */
  static async open({ bytes, faults }: StepReading): Promise<IfcGeometry> {
    const api = await startParser();
    const model = openModel(api, bytes);
    if (model >= 0) return new IfcGeometry(api, model, !faults.has('unreadable'));
    dispose(api);
    throw new NoPicture('is broken');
  }

  close(): void {
    dispose(this.api);
  }

  /** Numbers of all entities of the type or a subtype of it, ascending. */
  ids(type: number): number[] {
    return [...this.api.GetLineIDsWithType(this.model, type, true)].sort((a, b) => a - b);
  }

  /** `undefined` where the file has no such entity, or one that cannot be read. */
  entity(id: number): IfcEntity | undefined {
    try {
      return (this.api.GetLine(this.model, id) as IfcEntity | undefined) ?? undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Bodies of an element with its openings cut out, in metres, z up. Throws whatever the parser throws at an element that it does
   * not understand.
   * @throws ParserCrash
   */
  solids(id: number): Solid[] {
    const solids: Solid[] = [];
    const read = (mesh: FlatMesh) => {
      for (let at = 0; at < mesh.geometries.size(); at++) solids.push(this.solid(mesh.geometries.get(at)));
    };
    try {
      withinMemory(() => this.api.StreamMeshes(this.model, [id], read));
    } catch (cause) {
      if (isCrash(cause)) throw new ParserCrash(id, { cause });
      throw cause;
    }
    return solids.filter(({ indices, positions }) => indices.length > 0 && positions.every((value) => Math.abs(value) < MAX_DISTANCE));
  }

  /** The directions and the place of an object, z up, in metres; of no use where the file has none. */
  placement(entity: IfcEntity): Matrix | undefined {
    const id = refOf(entity['ObjectPlacement']);
    try {
      return id === undefined ? undefined : this.api.GetWorldTransformMatrix(this.model, id);
    } catch {
      return undefined;
    }
  }

  private solid(placed: PlacedGeometry): Solid {
    const geometry = this.api.GetGeometry(this.model, placed.geometryExpressID);
    try {
      const vertices = this.api.GetVertexArray(geometry.GetVertexData(), geometry.GetVertexDataSize());
      const indices = this.api.GetIndexArray(geometry.GetIndexData(), geometry.GetIndexDataSize());
      return { positions: toPositions(vertices, placed.flatTransformation), indices: Uint32Array.from(indices) };
    } finally {
      geometry.delete();
    }
  }
}

/** The parser's vertices are six numbers (place, normal), with y up. */
function toPositions(vertices: Float32Array, m: Matrix): Float64Array {
  const positions = new Float64Array(vertices.length / 2);
  const row = (at: number, x: number, y: number, z: number) => (m[at] as number) * x + (m[at + 4] as number) * y + (m[at + 8] as number) * z + (m[at + 12] as number);
  for (let from = 0, to = 0; from + 5 < vertices.length; from += 6, to += 3) {
    const [x, y, z] = [vertices[from] as number, vertices[from + 1] as number, vertices[from + 2] as number];
    positions[to] = row(0, x, y, z);
    positions[to + 1] = -row(2, x, y, z);
    positions[to + 2] = row(1, x, y, z);
  }
  return positions;
}

/** For a coordinate that is none: what has it is not drawn, and not at zero. */
const NOWHERE = '1.E400';

/**
 * What can be read of a file, without the rest, for whose end the parser would look for ever.
 * @throws NoPicture
 */
export function readText(bytes: Uint8Array): StepReading {
  if (structureFaultOf(bytes) !== undefined) throw new NoPicture('is broken');
  try {
    return readStep(bytes, NOWHERE);
  } catch (cause) {
    throw cause instanceof TooDamaged ? new NoPicture('is broken', { cause }) : cause;
  }
}

function openModel(api: IfcAPI, bytes: Uint8Array): number {
  try {
    return withinMemory(() => api.OpenModel(bytes, { COORDINATE_TO_ORIGIN: false, CIRCLE_SEGMENTS }));
  } catch (cause) {
    dispose(api);
    throw new NoPicture(refusalOf(cause), { cause });
  }
}

/** A parser that has run into a wall of its own may refuse even this; it is let go of, and its memory with it. */
function dispose(api: IfcAPI): void {
  try {
    api.Dispose();
  } catch {
    return;
  }
}

/** The entities that an attribute points to; empty where it is left out. */
export function refsOf(value: unknown): number[] {
  const handles = Array.isArray(value) ? (value as unknown[]) : [value];
  return handles.map(valueOf).filter((id) => typeof id === 'number');
}

export const refOf = (value: unknown): number | undefined => refsOf(value)[0];

export function valueOf(token: unknown): unknown {
  return typeof token === 'object' && token !== null && 'value' in token ? token.value : undefined;
}
