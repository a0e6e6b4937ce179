import { invalid, ServiceError } from '@twinyard/conventions';
import { type FaultPlace, MAX_PLACES, type NameUse, type StepReading } from '@twinyard/step';
import { FromRawLineData, IfcAPI, InheritanceDef, LogLevel, SchemaNames } from 'web-ifc';
import { type IfcFault, type IfcReport, skippedOf } from './ifc-faults';
import type { IfcKey } from './ifc-model';
import { readStructure } from './ifc-structure';
import { hideEscapes, type HiddenEscapes } from './step-text';

/** An entity as web-ifc gives it: attributes by their EXPRESS names. */
export interface IfcLine {
  readonly expressID: number;
  readonly type: number;
  readonly [attribute: string]: unknown;
}

/** An attribute's value as web-ifc gives it; `type` is the kind of token, `name` the measure. */
export interface IfcToken {
  readonly type: number;
  readonly value?: unknown;
  readonly name?: string;
}

/** The parser's tables by the number that it gives a schema, then by the number of a type. */
type SchemaTables<T> = Readonly<Record<number, Readonly<Record<number, T>>>>;
const subtypes = InheritanceDef as SchemaTables<readonly number[]>;
const readers = FromRawLineData as unknown as SchemaTables<unknown>;

/** An open IFC file: the one place that knows the parser. Must be closed. */
export class IfcFile {
  private readonly schemaNumber: number;
  /** Entities that the parser knows of and cannot read. */
  private readonly lost = new Set<number>();

  private constructor(
    private readonly api: IfcAPI,
    private readonly model: number,
    private readonly reading: StepReading,
    private readonly escapes: HiddenEscapes,
    readonly schema: string,
  ) {
    this.schemaNumber = SchemaNames.findIndex((names?: readonly string[]) => names?.includes(schema.toUpperCase()));
  }

  static async open(bytes: Uint8Array): Promise<IfcFile> {
    const reading = readStructure(bytes);
    const api = new IfcAPI();
    await api.Init(undefined, true);
    api.SetLogLevel(LogLevel.LOG_LEVEL_OFF);
    const escapes = hideEscapes(reading.bytes);
    const model = openModel(api, escapes.bytes);
    return new IfcFile(api, model, reading, escapes, api.GetModelSchema(model));
  }

  /** The text of which the parser has a copy: what cannot be read is left out, entities have its numbers, and escapes stand as in the file. */
  get content(): Uint8Array {
    return this.reading.bytes;
  }

  close(): void {
    this.api.CloseModel(this.model);
    this.api.Dispose();
  }

  /** Numbers of all entities of the type or a subtype of it, in ascending order, which is nearly always the file's. */
  ids(type: number): number[] {
    return [...this.api.GetLineIDsWithType(this.model, type, true)].sort((a, b) => a - b);
  }

  lines(type: number): IfcLine[] {
    return this.ids(type).flatMap((id) => this.line(id) ?? []);
  }

  /** `undefined` where the file has no such entity, or one that its schema does not know. */
  line(id: number): IfcLine | undefined {
    if (!this.knows(this.api.GetLineType(this.model, id) as number)) return undefined;
    try {
      return this.api.GetLine(this.model, id) as IfcLine | undefined;
    } catch {
      this.lost.add(id);
      return undefined;
    }
  }

  /** The number that the file gives to an entity. */
  keyOf(id: number): IfcKey {
    return this.reading.numberOf(id);
  }

  /** What is known by now of what the file has and the model has not. */
  report(): IfcReport {
    const { entities, faults, placesOf } = this.reading;
    const unknown = this.reading.names.filter(({ name }) => !this.knows(this.api.GetTypeCodeFromName(name)));
    const lost = new Set([...this.lost, ...this.unheard()]);
    const all: IfcFault[] = [
      ...[...faults].map(([kind, found]) => ({ kind, ...found })),
      ...faultOf('unknown', entitiesOf(unknown), unknown.flatMap(placesOf)),
      ...faultOf('lost', lost.size, [...lost].slice(0, MAX_PLACES).map((id) => this.reading.placeOf(id))),
    ];
    return { entities, skipped: skippedOf(all), faults: all };
  }

  /** Entities that were given to the parser and that it does not know of. */
  private unheard(): number[] {
    const known = this.api.GetAllLines(this.model);
    if (known.size() === entitiesOf(this.reading.names)) return [];
    const ids = new Set(known);
    return this.reading.numbers().filter((id) => !ids.has(id));
  }

  className(type: number): string {
    return this.api.GetNameFromTypeCode(type);
  }

  isA(type: number, ancestor: number): boolean {
    return type === ancestor || (subtypes[this.schemaNumber]?.[ancestor]?.includes(type) ?? false);
  }

  text(line: IfcLine, attribute: string): string | undefined {
    const token = toToken(line[attribute]);
    return typeof token?.value === 'string' ? this.escapes.decode(token.value) : undefined;
  }

  decode(text: string): string {
    return this.escapes.decode(text);
  }

  private knows(type: number): boolean {
    return readers[this.schemaNumber]?.[type] !== undefined;
  }
}

const entitiesOf = (names: readonly NameUse[]) => names.reduce((sum, { count }) => sum + count, 0);

const faultOf = (kind: 'unknown' | 'lost', count: number, places: readonly FaultPlace[]): IfcFault[] =>
  (count === 0 ? [] : [{ kind, count, places: [...places].sort((a, b) => a.line - b.line).slice(0, MAX_PLACES) }]);

function openModel(api: IfcAPI, bytes: Uint8Array): number {
  let model = -1;
  try {
    model = api.OpenModel(bytes);
  } catch (cause) {
    api.Dispose();
    throw new ServiceError('invalid', 'The IFC file cannot be read: its header or its data are damaged', { cause });
  }
  if (model >= 0) return model;
  api.Dispose();
  throw invalid('The IFC file cannot be read: it is damaged, or its schema is not IFC2X3, IFC4 or IFC4X3');
}

export function toToken(value: unknown): IfcToken | undefined {
  return typeof value === 'object' && value !== null && 'type' in value ? (value as IfcToken) : undefined;
}

/** The entities that an attribute points to; empty where it is left out. */
export function refs(line: IfcLine, attribute: string): number[] {
  const value = line[attribute];
  const handles = Array.isArray(value) ? value : [value];
  return handles.flatMap((handle) => toToken(handle)?.value ?? []).filter((id): id is number => typeof id === 'number');
}

export const ref = (line: IfcLine, attribute: string): number | undefined => refs(line, attribute)[0];

export function numberOf(line: IfcLine, attribute: string): number | undefined {
  const value = toToken(line[attribute])?.value;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The name of an enumeration value, `ELEMENT`. */
export function enumOf(line: IfcLine, attribute: string): string | undefined {
  const value = toToken(line[attribute])?.value;
  return typeof value === 'string' ? value : undefined;
}
