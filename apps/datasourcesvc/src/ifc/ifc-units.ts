import { IFCCONTEXTDEPENDENTUNIT, IFCCONVERSIONBASEDUNIT, IFCDERIVEDUNIT, IFCMONETARYUNIT, IFCPROJECT, IFCSIUNIT, IFCUNITASSIGNMENT } from 'web-ifc';
import { enumOf, type IfcFile, type IfcLine, numberOf, ref, refs } from './ifc-file';

const PREFIXES: Readonly<Record<string, string>> = {
  EXA: 'E', PETA: 'P', TERA: 'T', GIGA: 'G', MEGA: 'M', KILO: 'k', HECTO: 'h', DECA: 'da',
  DECI: 'd', CENTI: 'c', MILLI: 'm', MICRO: 'µ', NANO: 'n', PICO: 'p', FEMTO: 'f', ATTO: 'a',
};
const SI: Readonly<Record<string, string>> = {
  AMPERE: 'A', BECQUEREL: 'Bq', CANDELA: 'cd', COULOMB: 'C', CUBIC_METRE: 'm³', DEGREE_CELSIUS: '°C', FARAD: 'F', GRAM: 'g',
  GRAY: 'Gy', HENRY: 'H', HERTZ: 'Hz', JOULE: 'J', KELVIN: 'K', LUMEN: 'lm', LUX: 'lx', METRE: 'm', MOLE: 'mol', NEWTON: 'N',
  OHM: 'Ω', PASCAL: 'Pa', RADIAN: 'rad', SECOND: 's', SIEMENS: 'S', SIEVERT: 'Sv', SQUARE_METRE: 'm²', STERADIAN: 'sr',
  TESLA: 'T', VOLT: 'V', WATT: 'W', WEBER: 'Wb',
};
/** The conversion-based units that the IFC documentation lists, by the symbols of everyday use; others keep their name. */
const CONVERSION: Readonly<Record<string, string>> = {
  DEGREE: '°', INCH: 'in', FOOT: 'ft', YARD: 'yd', MILE: 'mi', 'SQUARE INCH': 'in²', 'SQUARE FOOT': 'ft²', 'CUBIC INCH': 'in³',
  'CUBIC FOOT': 'ft³', LITRE: 'l', POUND: 'lb', MINUTE: 'min', HOUR: 'h', DAY: 'd', FAHRENHEIT: '°F',
};
const SUPERSCRIPTS: Readonly<Record<string, string>> = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };

export interface IfcUnits {
  /** Symbol of the unit entity with this number. */
  ofEntity(id: number): string | undefined;
  /** Symbol of the file's unit for a measure, `IFCLENGTHMEASURE`, or for a kind of unit, `LENGTHUNIT`. */
  ofMeasure(measure: string): string | undefined;
}

export function readUnits(file: IfcFile): IfcUnits {
  const symbols = new Map<number, string | undefined>();
  const ofEntity = (id: number) => {
    if (!symbols.has(id)) symbols.set(id, unitSymbol(file, id));
    return symbols.get(id);
  };
  const assigned = new Map<string, number>();
  for (const id of assignedUnits(file)) {
    const kind = unitKind(file, id);
    if (kind !== undefined && !assigned.has(kind)) assigned.set(kind, id);
  }
  const ofMeasure = (measure: string) => {
    const id = assigned.get(kindOfMeasure(measure));
    return id === undefined ? undefined : ofEntity(id);
  };
  return { ofEntity, ofMeasure };
}

/** IFCPOSITIVELENGTHMEASURE is a LENGTHUNIT: the names of the schema are that regular. */
const kindOfMeasure = (measure: string) =>
  measure.endsWith('MEASURE') ? `${measure.replace(/^IFC(POSITIVE|NONNEGATIVE)?/, '').replace(/MEASURE$/, '')}UNIT` : measure;

function assignedUnits(file: IfcFile): number[] {
  const project = [...file.lines(IFCPROJECT)][0];
  const chosen = project && ref(project, 'UnitsInContext');
  const assignment = (chosen === undefined ? undefined : file.line(chosen)) ?? [...file.lines(IFCUNITASSIGNMENT)][0];
  return assignment ? refs(assignment, 'Units') : [];
}

function unitKind(file: IfcFile, id: number): string | undefined {
  const unit = file.line(id);
  if (!unit) return undefined;
  return unit.type === IFCMONETARYUNIT ? 'MONETARYUNIT' : enumOf(unit, 'UnitType');
}

function unitSymbol(file: IfcFile, id: number): string | undefined {
  const unit = file.line(id);
  if (!unit) return undefined;
  if (unit.type === IFCSIUNIT) return siSymbol(unit);
  if (unit.type === IFCDERIVEDUNIT) return derivedSymbol(file, unit);
  if (unit.type === IFCMONETARYUNIT) return file.text(unit, 'Currency') ?? enumOf(unit, 'Currency');
  const named = file.isA(unit.type, IFCCONVERSIONBASEDUNIT) || unit.type === IFCCONTEXTDEPENDENTUNIT;
  const name = named ? file.text(unit, 'Name') : undefined;
  return name === undefined ? undefined : (CONVERSION[name.toUpperCase()] ?? name);
}

function siSymbol(unit: IfcLine): string | undefined {
  const name = enumOf(unit, 'Name');
  if (name === undefined) return undefined;
  return `${PREFIXES[enumOf(unit, 'Prefix') ?? ''] ?? ''}${SI[name] ?? name.toLowerCase()}`;
}

/** `W/(m²·K)` from the factors W¹, m⁻², K⁻¹. */
function derivedSymbol(file: IfcFile, unit: IfcLine): string | undefined {
  const factors = refs(unit, 'Elements').flatMap((id) => {
    const element = file.line(id);
    const base = element && ref(element, 'Unit');
    const symbol = base === undefined ? undefined : unitSymbol(file, base);
    return element && symbol ? [{ symbol, exponent: numberOf(element, 'Exponent') ?? 1 }] : [];
  });
  const over = product(factors.filter(({ exponent }) => exponent > 0));
  const under = product(factors.filter(({ exponent }) => exponent < 0));
  if (under === '') return over || undefined;
  return `${over || '1'}/${under.includes('·') ? `(${under})` : under}`;
}

const product = (factors: readonly { readonly symbol: string; readonly exponent: number }[]) =>
  factors.map(({ symbol, exponent }) => power(symbol, Math.abs(exponent))).join('·');

function power(symbol: string, exponent: number): string {
  if (exponent === 1) return symbol;
  return symbol + String(exponent).replace(/./g, (digit) => SUPERSCRIPTS[digit] ?? digit);
}
