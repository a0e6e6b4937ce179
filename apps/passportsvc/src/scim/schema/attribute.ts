/** What RFC 7643 section 7 says of an attribute. The objects are what `/Schemas` shows, so their names are the wire's. */
export interface Attribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex';
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact?: boolean;
  readonly mutability: 'readOnly' | 'readWrite';
  readonly returned: 'always' | 'default';
  readonly uniqueness?: 'none' | 'server';
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}

export interface Schema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

type Options = Partial<Omit<Attribute, 'name' | 'type' | 'description'>>;

const DEFAULTS = { multiValued: false, required: false, mutability: 'readWrite', returned: 'default' } as const;

export const text = (name: string, description: string, options: Options = {}): Attribute =>
  ({ name, type: 'string', description, ...DEFAULTS, caseExact: false, uniqueness: 'none', ...options });

export const flag = (name: string, description: string): Attribute => ({ name, type: 'boolean', description, ...DEFAULTS });

export const time = (name: string, description: string): Attribute => ({ name, type: 'dateTime', description, ...DEFAULTS, mutability: 'readOnly' });

export const reference = (name: string, description: string, referenceTypes: readonly string[]): Attribute =>
  ({ name, type: 'reference', description, ...DEFAULTS, caseExact: true, uniqueness: 'none', referenceTypes });

export const complex = (name: string, description: string, subAttributes: readonly Attribute[], options: Options = {}): Attribute =>
  ({ name, type: 'complex', description, ...DEFAULTS, ...options, subAttributes });

/** A multi-valued attribute with the usual sub-attributes (RFC 7643 section 2.4). */
export const plural = (name: string, description: string, canonicalValues: readonly string[], value = text('value', 'The value.')): Attribute =>
  complex(name, description, [
    value,
    text('display', 'A name of the value, for people to read.'),
    text('type', 'What the value is for.', canonicalValues.length > 0 ? { canonicalValues } : {}),
    flag('primary', 'Whether it is the preferred one; at most one value is.'),
  ], { multiValued: true });

/** Names are compared without regard to case (RFC 7643 section 2.1). */
export const findAttribute = (attributes: readonly Attribute[] | undefined, name: string): Attribute | undefined =>
  attributes?.find((attribute) => attribute.name.toLowerCase() === name.toLowerCase());
