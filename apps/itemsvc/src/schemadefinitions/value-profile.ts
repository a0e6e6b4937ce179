import type { Properties, PropertySchema, PropertyType } from './schema-definition';

/** A text property with at most this many values, each seen a few times, takes its values from a list. One value is no choice. */
const MAX_ENUM = 20;
const ENUM_REPEATS = 3;
const MAX_ENUM_LENGTH = 80;
/** An object with more names than this is a map, whose keys are data. */
const MAX_NAMES = 500;
/** The property beside a measured value that names its unit (what imports of models write). */
const UNIT = 'uom';
const ISO_DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/** What the values at one path of many items have been so far. */
export class ValueProfile {
  private readonly kinds = new Map<PropertyType, number>();
  private texts: Set<string> | undefined = new Set();
  private readonly fields = new ObjectProfile();
  private elements: ValueProfile | undefined;

  /** Nothing is learnt from null. */
  add(value: unknown): void {
    const kind = kindOf(value);
    if (kind === undefined) return;
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
    if (kind === 'object') this.fields.add(value as Record<string, unknown>);
    if (kind === 'array') for (const element of value as unknown[]) (this.elements ??= new ValueProfile()).add(element);
    if (typeof value === 'string') this.addText(value);
  }

  /** How many values there were. */
  get count(): number {
    return [...this.kinds.values()].reduce((sum, count) => sum + count, 0);
  }

  /** `among`: how many could have had a value. */
  toSchema(among: number): PropertySchema | undefined {
    const type = this.type();
    if (type === undefined) return undefined;
    const description = this.description(among);
    return {
      _type: type,
      ...(type === 'object' && this.fields.toSchema()),
      ...(type === 'array' && this.ofElements()),
      ...(type === 'string' && this.ofTexts()),
      ...(description !== undefined && { _description: description }),
    };
  }

  /** The text that it has had each time, and that often enough to say so. */
  constant(): string | undefined {
    const isText = this.kinds.size === 1 && this.kinds.has('string');
    return isText && this.texts?.size === 1 && this.count >= ENUM_REPEATS ? [...this.texts][0] : undefined;
  }

  private addText(text: string): void {
    if (this.texts === undefined || this.texts.has(text)) return;
    if (text.length > MAX_ENUM_LENGTH || this.texts.size === MAX_ENUM) this.texts = undefined;
    else this.texts.add(text);
  }

  /** The commonest; dates among other texts are texts. */
  private type(): PropertyType | undefined {
    if (this.kinds.size > 1 && this.holdsTextsOnly()) return 'string';
    return [...this.kinds].reduce<[PropertyType, number] | undefined>((most, kind) => (most === undefined || kind[1] > most[1] ? kind : most), undefined)?.[0];
  }

  private holdsTextsOnly(): boolean {
    return [...this.kinds.keys()].every((kind) => kind === 'isodate' || kind === 'string');
  }

  private description(among: number): string | undefined {
    const isMixed = this.kinds.size > 1 && !this.holdsTextsOnly();
    const mixture = [...this.kinds].map(([kind, times]) => `${kind} in ${times}`).join(', ');
    const constant = this.constant();
    const parts = [
      ...(constant === undefined ? [] : [`always ${JSON.stringify(constant)}`]), ...this.fields.notes(),
      ...(this.count < among ? [`in ${this.count} of ${among}`] : []), ...(isMixed ? [mixture] : []),
    ];
    return parts.length === 0 ? undefined : parts.join('; ');
  }

  private ofElements(): Pick<PropertySchema, '_items'> {
    const items = this.elements?.toSchema(this.elements.count);
    return items === undefined ? {} : { _items: items };
  }

  private ofTexts(): Pick<PropertySchema, '_enum'> {
    if (this.texts === undefined || this.texts.size < 2 || this.count < this.texts.size * ENUM_REPEATS) return {};
    return { _enum: [...this.texts].sort() };
  }
}

/** The same of an object's properties, or of the items of a collection. */
export class ObjectProfile {
  private readonly properties = new Map<string, ValueProfile>();
  private objects = 0;
  private isMap = false;

  add(object: Readonly<Record<string, unknown>>, hidden: ReadonlySet<string> = NONE): void {
    this.objects += 1;
    for (const name of Object.keys(object)) {
      if (!hidden.has(name)) this.profileOf(name)?.add(object[name]);
    }
  }

  get count(): number {
    return this.objects;
  }

  toSchema(): { readonly _properties?: Properties } {
    if (this.isMap) return {};
    const known = [...this.properties].flatMap(([name, profile]): [string, PropertySchema][] => {
      const schema = profile.toSchema(this.objects);
      return schema === undefined ? [] : [[name, schema]];
    });
    return { _properties: Object.fromEntries(known.sort(([one], [other]) => (one < other ? -1 : 1))) };
  }

  notes(): string[] {
    const unit = this.properties.get(UNIT)?.constant();
    return [...(unit === undefined ? [] : [`unit ${unit}`]), ...(this.isMap ? [`more than ${MAX_NAMES} different names`] : [])];
  }

  private profileOf(name: string): ValueProfile | undefined {
    const known = this.properties.get(name);
    if (known !== undefined || this.isMap) return known;
    if (this.properties.size === MAX_NAMES) {
      this.isMap = true;
      this.properties.clear();
      return undefined;
    }
    const profile = new ValueProfile();
    this.properties.set(name, profile);
    return profile;
  }
}

const NONE: ReadonlySet<string> = new Set();

function kindOf(value: unknown): PropertyType | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return isIsoDate(value) ? 'isodate' : 'string';
  return typeof value as 'number' | 'boolean' | 'object';
}

const isIsoDate = (text: string) => text.length >= 17 && text.length <= 35 && ISO_DATE.test(text) && !Number.isNaN(Date.parse(text));
