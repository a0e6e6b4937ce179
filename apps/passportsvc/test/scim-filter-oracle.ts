import fc from 'fast-check';
import { ENTERPRISE } from './scim-client';

/**
 * Filters, each with what it says and how it is written, and their truth by the words of RFC 7644 section 3.4.2.2 on the JSON of a
 * user. It shares nothing with the service: neither its parser nor its schema.
 */
export type Truth = (user: Readonly<Record<string, unknown>>) => boolean;

export interface WrittenFilter {
  readonly text: string;
  readonly holds: Truth;
}

type Kind = 'text' | 'exact' | 'flag' | 'time';
interface Place {
  readonly path: string;
  readonly kind: Kind;
  /** All values at the place that are there. */
  readonly values: (user: Readonly<Record<string, unknown>>) => readonly unknown[];
}

const at = (user: unknown, names: readonly string[]): unknown => names.reduce((value: unknown, name) => (value as Record<string, unknown> | undefined)?.[name], user);
const single = (path: string, kind: Kind = 'text', names = path.split('.')): Place => ({ path, kind, values: (user) => [at(user, names)].filter((value) => value !== undefined) });
const multi = (name: string, part: string, kind: Kind = 'text', path = `${name}.${part}`): Place => ({
  path, kind, values: (user) => ((user[name] ?? []) as Record<string, unknown>[]).map((value) => value[part]).filter((value) => value !== undefined),
});

const PLACES: readonly Place[] = [
  single('userName'), single('TITLE', 'text', ['title']), single('nickName'), single('urn:ietf:params:scim:schemas:core:2.0:User:displayName', 'text', ['displayName']), single('externalId', 'exact'), single('active', 'flag'),
  single('name.givenName'), single('name.familyname', 'text', ['name', 'familyName']), single('name.middleName'), single('locale'), single('profileUrl', 'exact'), single('id', 'exact'), single('meta.resourceType', 'exact'),
  single('meta.created', 'time'), single('meta.lastModified', 'time'), single(`${ENTERPRISE}:department`, 'text', [ENTERPRISE, 'department']), single(`${ENTERPRISE}:manager`, 'text', [ENTERPRISE, 'manager', 'value']),
  multi('emails', 'value'), multi('emails', 'value', 'text', 'Emails'), multi('emails', 'type'), multi('emails', 'primary', 'flag'), multi('roles', 'value'), multi('phoneNumbers', 'type'), multi('addresses', 'locality'),
];
const PARTS: Readonly<Record<string, readonly [string, Kind][]>> = {
  emails: [['value', 'text'], ['type', 'text'], ['primary', 'flag'], ['display', 'text']], roles: [['value', 'text'], ['type', 'text']], phoneNumbers: [['type', 'text'], ['value', 'text']], addresses: [['locality', 'text'], ['primary', 'flag']],
};

export const WORDS = ['a', 'A', 'ab', 'Abc', 'b', 'work', 'Home', 'x%y', 'x_y', '_', '%', '\\', '"', '\'', 'a"b', 'é', 'or', ' and ', ') or (', '', 'null', 'true'];
const TEXT_OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
type Operator = (typeof TEXT_OPERATORS)[number];

const fold = (kind: Kind, value: unknown) => (kind === 'text' ? String(value).toLowerCase() : String(value));

function compare(kind: Kind, operator: Operator, stored: unknown, wanted: unknown): boolean {
  const isThere = stored !== undefined && stored !== null;
  if (wanted === null) return operator === 'eq' ? !isThere : isThere;
  if (operator === 'ne') return !isThere || !compare(kind, 'eq', stored, wanted);
  if (!isThere) return false;
  if (kind === 'flag') return stored === wanted;
  const [one, other] = kind === 'time' ? [new Date(String(stored)).toISOString(), new Date(String(wanted)).toISOString()] : [fold(kind, stored), fold(kind, wanted)];
  return { eq: one === other, co: one.includes(other), sw: one.startsWith(other), ew: one.endsWith(other), gt: one > other, ge: one >= other, lt: one < other, le: one <= other }[operator];
}

const letterCase = fc.constantFrom((text: string) => text, (text: string) => text.toUpperCase());

/** A comparison or `pr` of one value, and how it is written after the path. */
const conditionOn = (kind: Kind, times: readonly string[]) => fc.oneof(
  letterCase.map((written) => ({ text: ` ${written('pr')}`, test: (stored: unknown) => stored !== undefined && stored !== null })),
  fc.tuple(fc.constantFrom<Operator>(...operatorsOf(kind)), valuesOf(kind, times), letterCase).map(([operator, value, written]) => {
    const used = value === null && operator !== 'ne' ? 'eq' : operator;
    return { text: ` ${written(used)} ${JSON.stringify(value)}`, test: (stored: unknown) => compare(kind, used, stored, value) };
  }),
);

const operatorsOf = (kind: Kind): readonly Operator[] => {
  if (kind === 'flag') return ['eq', 'ne'];
  return kind === 'time' ? ['eq', 'ne', 'gt', 'ge', 'lt', 'le'] : TEXT_OPERATORS;
};

const valuesOf = (kind: Kind, times: readonly string[]): fc.Arbitrary<string | boolean | null> => {
  if (kind === 'flag') return fc.constantFrom(true, false, null);
  return fc.constantFrom(...(kind === 'time' ? times : WORDS), null);
};

function simple(times: readonly string[]): fc.Arbitrary<WrittenFilter> {
  return fc.constantFrom(...PLACES).chain((place) => conditionOn(place.kind, times).map(({ text, test }) => ({
    text: place.path + text,
    holds: (user) => {
      const values = place.values(user);
      return values.length === 0 ? test(undefined) : values.some(test);
    },
  })));
}

function combined<T>(leaf: fc.Arbitrary<{ readonly text: string; readonly holds: (on: T) => boolean }>, depth: number): typeof leaf {
  if (depth === 0) return leaf;
  const inner = combined(leaf, depth - 1);
  return fc.oneof(
    leaf,
    fc.tuple(inner, inner).map(([one, other]) => ({ text: `(${one.text}) and (${other.text})`, holds: (on: T) => one.holds(on) && other.holds(on) })),
    fc.tuple(inner, inner).map(([one, other]) => ({ text: `(${one.text}) or (${other.text})`, holds: (on: T) => one.holds(on) || other.holds(on) })),
    inner.map((one) => ({ text: `not (${one.text})`, holds: (on: T) => !one.holds(on) })),
    // `and` binds closer than `or`.
    fc.tuple(leaf, leaf, leaf).map(([one, two, three]) => ({ text: `${one.text} or ${two.text} and ${three.text}`, holds: (on: T) => one.holds(on) || (two.holds(on) && three.holds(on)) })),
  );
}

/** `emails[type eq "work" and not (value co "@")]` */
const ofValues: fc.Arbitrary<WrittenFilter> = fc.constantFrom(...Object.keys(PARTS)).chain((name) => {
  const part = fc.constantFrom(...(PARTS[name] ?? [])).chain(([sub, kind]) => conditionOn(kind, []).map(({ text, test }) => ({ text: sub + text, holds: (value: Record<string, unknown>) => test(value[sub]) })));
  return combined(part, 2).map(({ text, holds }) => ({ text: `${name}[${text}]`, holds: (user) => ((user[name] ?? []) as Record<string, unknown>[]).some(holds) }));
});

export const filters = (times: readonly string[]): fc.Arbitrary<WrittenFilter> => combined(fc.oneof({ weight: 3, arbitrary: simple(times) }, { weight: 1, arbitrary: ofValues }), 3);

const word = fc.constantFrom(...WORDS.filter((text) => text.trim() !== ''));
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const valuesWith = (parts: Record<string, fc.Arbitrary<unknown>>) => some(fc.array(fc.record(parts), { maxLength: 3 }).map((values) => values.map((value, index) => ({ ...value, ...(index > 0 && { primary: undefined }) }))));

/** What a provider may send of somebody, made of the same few words. */
export const people = fc.record({
  title: some(word), nickName: some(word), displayName: some(word), externalId: some(word), active: some(fc.boolean()), locale: some(fc.constantFrom('de', 'en-US', 'a')), profileUrl: some(word),
  name: some(fc.record({ givenName: some(word), familyName: some(word), middleName: some(word) })), roles: valuesWith({ value: some(word), type: some(word) }), phoneNumbers: valuesWith({ value: some(word), type: some(word) }),
  emails: valuesWith({ type: some(fc.constantFrom('work', 'Home')), primary: some(fc.boolean()), display: some(word) }), addresses: valuesWith({ locality: some(word), primary: some(fc.boolean()) }),
  [ENTERPRISE]: some(fc.record({ department: some(word), manager: some(word) })),
});
