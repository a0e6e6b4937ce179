import { invalid, ServiceError } from '@twinyard/conventions';
import { type FaultPlace, MAX_PLACES, type NameUse, placeOfEntity, type StepReading } from '@twinyard/step';
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

/** What is known of the text. */
type TextFacts = Pick<StepReading, 'entities' | 'names' | 'faults' | 'numbers' | 'numberOf'>;

/** What an open file stands on. */
interface OpenText {
  /** The bytes once more: they are not kept. */
  readonly source: () => Uint8Array;
  readonly facts: TextFacts;
  readonly placesOf: StepReading['placesOf'];
  readonly decode: HiddenEscapes['decode'];
}

/** An open IFC file: the one place that knows the parser. Must be closed. */
export class IfcFile {
  readonly schema: string;
  private readonly schemaNumber: number;
  private readonly source: () => Uint8Array;
  private readonly facts: TextFacts;
  /** A text of the file, as the parser gives it. */
  readonly decode: HiddenEscapes['decode'];
  /** Entities that the parser cannot give back. */
  private readonly lost: Set<number>;
  /** Those of which the schema does not have the name. */
  private readonly unknown: readonly IfcFault[];

  private constructor(private readonly api: IfcAPI, private readonly model: number, { source, facts, placesOf, decode }: OpenText) {
    this.schema = api.GetModelSchema(model);
    this.schemaNumber = SchemaNames.findIndex((names?: readonly string[]) => names?.includes(this.schema.toUpperCase()));
    Object.assign(this, { source, facts, decode });
    const unknown = facts.names.filter(({ name }) => !this.knows(api.GetTypeCodeFromName(name)));
    this.unknown = faultOf('unknown', entitiesOf(unknown), unknown.flatMap(placesOf));
    this.lost = new Set(this.unheard());
  }

  /** `source` is asked for the bytes now, and again where it has to be told at which line something is: they are not kept, and neither should it keep them. */
  static open(source: () => Uint8Array): Promise<IfcFile> {
    return IfcFile.ofStructure(readStructure(source()), source);
  }

  /** The same of a text whose structure was read: `source` as of `open`. */
  static async ofStructure({ bytes, placesOf, entities, names, faults, numbers, numberOf }: StepReading, source: () => Uint8Array): Promise<IfcFile> {
    const api = new IfcAPI();
    await api.Init(undefined, true);
    api.SetLogLevel(LogLevel.LOG_LEVEL_OFF);
    const { hide, decode } = hideEscapes(bytes);
    return new IfcFile(api, openModel(api, bytes, hide), { source, facts: { entities, names, faults, numbers, numberOf }, placesOf, decode });
  }

  close(): void {
    this.api.CloseModel(this.model);
    this.api.Dispose();
  }

  /** Numbers of all entities of the type or a subtype of it, in ascending order, which is nearly always the file's. */
  ids(type: number): number[] {
    return [...this.api.GetLineIDsWithType(this.model, type, true)].sort((a, b) => a - b);
  }

  lines(type: number): Generator<IfcLine> {
    return this.linesOf(this.ids(type));
  }

  /** One by one: those of a large model are not to be held. */
  *linesOf(ids: readonly number[]): Generator<IfcLine> {
    for (const id of ids) {
      const line = this.line(id);
      if (line !== undefined) yield line;
    }
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
    return this.facts.numberOf(id);
  }

  /** What is known by now of what the file has and the model has not. */
  report(): IfcReport {
    const { entities, faults, numberOf } = this.facts;
    const text = this.lost.size > 0 ? this.source() : new Uint8Array(0);
    const all: IfcFault[] = [
      ...[...faults].map(([kind, found]) => ({ kind, ...found })),
      ...this.unknown,
      ...faultOf('lost', this.lost.size, [...this.lost].slice(0, MAX_PLACES).map((id) => placeOfEntity(text, numberOf(id)))),
    ];
    return { entities, skipped: skippedOf(all), faults: all };
  }

  /** Entities that were given to the parser and that it does not know of. */
  private unheard(): number[] {
    const known = this.api.GetAllLines(this.model);
    if (known.size() === entitiesOf(this.facts.names)) return [];
    const ids = new Set(known);
    return this.facts.numbers().filter((id) => !ids.has(id));
  }

  className(type: number): string {
    return this.api.GetNameFromTypeCode(type);
  }

  isA(type: number, ancestor: number): boolean {
    return type === ancestor || (subtypes[this.schemaNumber]?.[ancestor]?.includes(type) ?? false);
  }

  text(line: IfcLine, attribute: string): string | undefined {
    const token = toToken(line[attribute]);
    return typeof token?.value === 'string' ? this.decode(token.value) : undefined;
  }

  private knows(type: number): boolean {
    return readers[this.schemaNumber]?.[type] !== undefined;
  }
}

const entitiesOf = (names: readonly NameUse[]) => names.reduce((sum, { count }) => sum + count, 0);

const faultOf = (kind: 'unknown' | 'lost', count: number, places: readonly FaultPlace[]): IfcFault[] =>
  (count === 0 ? [] : [{ kind, count, places: [...places].sort((a, b) => a.line - b.line).slice(0, MAX_PLACES) }]);

/** The parser asks for the bytes piece by piece, and keeps what it makes of them. It keeps what it asks, too, which therefore lets go of them. */
function openModel(api: IfcAPI, bytes: Uint8Array, hide: HiddenEscapes['hide']): number {
  const given: { bytes: Uint8Array; hide: HiddenEscapes['hide'] } = { bytes, hide };
  let model = -1;
  try {
    model = api.OpenModelFromCallback((from, length) => given.hide(given.bytes.subarray(from, from + length)));
  } catch (cause) {
    api.Dispose();
    throw new ServiceError('invalid', 'The IFC file cannot be read: its header or its data are damaged', { cause });
  } finally {
    Object.assign(given, { bytes: new Uint8Array(0), hide: (none: Uint8Array) => none });
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
