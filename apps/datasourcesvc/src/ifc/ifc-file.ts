import { invalid, ServiceError } from '@twinyard/conventions';
import { FromRawLineData, IfcAPI, InheritanceDef, LogLevel, SchemaNames } from 'web-ifc';
import { requireStructure } from './ifc-structure';
import { prepareStepBytes, type StepBytes } from './step-text';

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

  private constructor(
    private readonly api: IfcAPI,
    private readonly model: number,
    private readonly step: StepBytes,
    readonly schema: string,
  ) {
    this.schemaNumber = SchemaNames.findIndex((names?: readonly string[]) => names?.includes(schema.toUpperCase()));
  }

  static async open(bytes: Uint8Array): Promise<IfcFile> {
    requireStructure(bytes);
    const api = new IfcAPI();
    await api.Init(undefined, true);
    api.SetLogLevel(LogLevel.LOG_LEVEL_OFF);
    const step = prepareStepBytes(bytes);
    const model = openModel(api, step.bytes);
    return new IfcFile(api, model, step, api.GetModelSchema(model));
  }

  close(): void {
    this.api.CloseModel(this.model);
    this.api.Dispose();
  }

  /** Numbers of all entities of the type or a subtype of it, in ascending order, which is nearly always the file's. */
  ids(type: number): number[] {
    const found = [...this.api.GetLineIDsWithType(this.model, type, true)].sort((a, b) => a - b);
    const twice = found.find((id, index) => id === found[index - 1]);
    if (twice !== undefined) throw invalid(`The IFC file defines #${twice} twice`);
    return found;
  }

  lines(type: number): IfcLine[] {
    return this.ids(type).flatMap((id) => this.line(id) ?? []);
  }

  /** `undefined` where the file has no such entity, or one that its schema does not know. */
  line(id: number): IfcLine | undefined {
    if (!this.knows(this.api.GetLineType(this.model, id) as number)) return undefined;
    try {
      return this.api.GetLine(this.model, id) as IfcLine | undefined;
    } catch (cause) {
      throw new ServiceError('invalid', `The entity #${id} of the IFC file cannot be read`, { cause });
    }
  }

  className(type: number): string {
    return this.api.GetNameFromTypeCode(type);
  }

  isA(type: number, ancestor: number): boolean {
    return type === ancestor || (subtypes[this.schemaNumber]?.[ancestor]?.includes(type) ?? false);
  }

  text(line: IfcLine, attribute: string): string | undefined {
    const token = toToken(line[attribute]);
    return typeof token?.value === 'string' ? this.step.decode(token.value) : undefined;
  }

  decode(text: string): string {
    return this.step.decode(text);
  }

  private knows(type: number): boolean {
    return readers[this.schemaNumber]?.[type] !== undefined;
  }
}

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
