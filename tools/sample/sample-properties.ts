import { constant, NONE, real, type Ref, type StepWriter, text } from './step-writer';

/** A value as an IfcPropertySingleValue holds it: `IFCLABEL('REI 60')`. */
export const label = (value: string) => `IFCLABEL(${text(value)})`;
export const identifier = (value: string) => `IFCIDENTIFIER(${text(value)})`;
export const truth = (value: boolean) => `IFCBOOLEAN(${constant(value ? 'T' : 'F')})`;
export const logical = (value: boolean) => `IFCLOGICAL(${constant(value ? 'T' : 'F')})`;
export const integer = (value: number) => `IFCINTEGER(${value})`;
export const ratio = (value: number) => `IFCPOSITIVERATIOMEASURE(${real(value)})`;
export const transmittance = (value: number) => `IFCTHERMALTRANSMITTANCEMEASURE(${real(value)})`;
export const temperature = (value: number) => `IFCTHERMODYNAMICTEMPERATUREMEASURE(${real(value)})`;

/** Property name → value. */
export type Values = Readonly<Record<string, string>>;
/** Quantity name → kind and value. */
export type Quantities = Readonly<Record<string, readonly [kind: 'LENGTH' | 'AREA' | 'VOLUME', value: number]>>;

export interface PropertySet {
  readonly name: string;
  readonly values: Values;
}

/** Writes property sets and the relations by which objects have them. */
export class Properties {
  constructor(private readonly step: StepWriter) {}

  set(path: string, { name, values }: PropertySet, more: readonly Ref[] = []): Ref {
    const members = Object.entries(values).map(([property, value]) => this.step.share('IFCPROPERTYSINGLEVALUE', text(property), NONE, value, NONE));
    return this.step.add('IFCPROPERTYSET', this.step.guid(`${path}/${name}`), NONE, text(name), NONE, [...members, ...more]);
  }

  give(path: string, object: Ref, set: PropertySet, more: readonly Ref[] = []): void {
    this.relate(`${path}/${set.name}`, object, this.set(path, set, more));
  }

  giveQuantities(path: string, object: Ref, name: string, quantities: Quantities): void {
    const members = Object.entries(quantities).map(([quantity, [kind, value]]) =>
      this.step.add(`IFCQUANTITY${kind}`, text(quantity), NONE, NONE, real(value), NONE),
    );
    const set = this.step.add('IFCELEMENTQUANTITY', this.step.guid(`${path}/${name}`), NONE, text(name), NONE, NONE, members);
    this.relate(`${path}/${name}`, object, set);
  }

  /** A range, and a choice: the kinds of property beside the single value that the sample has. */
  bounded(name: string, lower: string, upper: string): Ref {
    return this.step.share('IFCPROPERTYBOUNDEDVALUE', text(name), NONE, upper, lower, NONE, NONE);
  }

  enumerated(name: string, value: string): Ref {
    return this.step.share('IFCPROPERTYENUMERATEDVALUE', text(name), NONE, [value], NONE);
  }

  private relate(path: string, object: Ref, set: Ref): void {
    this.step.add('IFCRELDEFINESBYPROPERTIES', this.step.guid(`${path}/relation`), NONE, NONE, NONE, [object], set);
  }
}
