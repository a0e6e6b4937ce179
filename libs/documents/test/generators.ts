import fc from 'fast-check';

/**
 * Documents and filters for the comparison with mingo. Few names and few values, so that filters meet documents. Left out is
 * what mingo decides otherwise than MongoDB; those cases are in the contract suite's table, with MongoDB's answer:
 * - arrays directly in arrays (mingo flattens by the number of dots in the path; MongoDB looks into one array a step),
 * - arrays of scalars inside arrays of objects (mingo compares the inner arrays whole; MongoDB compares their elements),
 * - `null` under a path that goes through an array or an index (mingo takes every dead end for a missing field),
 * - `$size`, `$all`, `$type: "array"`, `$elemMatch` and exact arrays under a path that goes through an array of objects
 *   (mingo collects the values of the elements into one array first and tests that array),
 * - `$type` of elements of an array (mingo tests the array alone), `int` and `double` (mingo: any whole number, any number),
 * - `$all` of a scalar (mingo: never; MongoDB: `$and` of equalities),
 * - `$mod` of fractions, texts and null (mingo calculates with them), `$gte: null` of a missing field.
 */
export type Json = Record<string, unknown>;

const scalar = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -3, max: 6 }) },
  { weight: 3, arbitrary: fc.constantFrom('', 'a', 'ab', 'B', 'é', '1', 'ÿ', 'true') },
  { weight: 1, arbitrary: fc.constantFrom(0.5, -1.5, 1e21, 2.25) },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constant(null) },
);
const whole = fc.integer({ min: -5, max: 9 });
const scalars = fc.array(scalar, { maxLength: 3 });
const fields = (value: fc.Arbitrary<unknown>) => fc.record({ b: value, c: value, '0': value }, { requiredKeys: [] });

/** `s`: scalars; `l`: lists of scalars; `o`: objects; `d`: deeper objects; `r`: arrays of objects. */
export const documentOf = fc.record(
  {
    s: scalar,
    a: fc.array(scalar, { maxLength: 4 }),
    m: fc.oneof(whole, fc.array(whole, { maxLength: 3 })),
    l: fc.oneof(scalar, scalars),
    o: fc.oneof({ weight: 4, arbitrary: fields(fc.oneof(scalar, scalars)) }, scalar),
    d: fc.record({ o: fields(fc.oneof(scalar, scalars)), s: scalar }, { requiredKeys: [] }),
    m2: fc.integer({ min: 0, max: 3 }),
    r: fc.array(fields(scalar), { maxLength: 3 }),
    'x y/(z)"\\': scalar,
  },
  { requiredKeys: [] },
);

const plainPath = fc.constantFrom('s', 'l', 'o.b', 'o.c', 'd.o.b', 'd.o', 'o', 'none', 'none.b', 'x y/(z)"\\', 'o.0', 'd.o.0');
const throughArray = fc.constantFrom('r.b', 'r.c', 'l.0', 'l.1', 'r.0.b', 'r.1.c');
const something = scalar.filter((value) => value !== null);

const anywhere = fc.oneof(
  fc.record({ $eq: something }),
  fc.record({ $ne: something }),
  fc.oneof(...['$gt', '$gte', '$lt', '$lte'].map((operator) => something.map((value) => ({ [operator]: value })))),
  fc.record({ $gte: something, $lt: something }),
  fc.oneof(fc.array(something, { maxLength: 3 }), fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 34, maxLength: 40 })).chain((list) =>
    fc.constantFrom<Json>({ $in: list }, { $nin: list }),
  ),
  fc.record({ $regex: fc.constantFrom('^a', 'b', 'B$', '.', '^$'), $options: fc.constantFrom('', 'i') }),
  something,
);
const test: fc.Arbitrary<unknown> = fc.oneof(anywhere, fc.record({ $not: anywhere.filter((value) => typeof value === 'object') }));
const plainTest: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: test },
  fc.constantFrom<unknown>(null, { $eq: null }, { $ne: null }, { $exists: true }, { $exists: false }, { $in: [null, 1] }, { $nin: [null, 'a'] }),
  fc.integer({ min: 0, max: 3 }).map((size) => ({ $size: size })),
  scalars.map((list) => ({ $eq: list })),
  fc.record({ $elemMatch: fc.oneof(fc.record({ $gt: something }), fc.record({ $gte: something, $lt: something }), fc.record({ $ne: something })) }),
);
const elements = fc.record({ r: fc.record({ $elemMatch: fc.oneof(fc.record({ b: anywhere }), fc.record({ b: anywhere, c: anywhere }), fc.record({ c: fc.constant({ $exists: false }) })) }) });
const modulo = fc.record({ m: fc.tuple(fc.constantFrom(2, 3, -2), fc.constantFrom(0, 1, -1)).map((operand) => ({ $mod: operand })) });
const all = fc.record({ a: fc.array(something, { maxLength: 2 }).map((list) => ({ $all: list })) });
const typed = fc.record({ s: fc.record({ $type: fc.constantFrom('number', 'string', 'bool', 'object', 'null', 2, 8) }) });

const { filter } = fc.letrec<{ filter: Json; leaf: Json }>((tie) => ({
  leaf: fc.oneof(
    { weight: 5, arbitrary: fc.tuple(plainPath, plainTest).map(([path, operand]) => ({ [path]: operand })) },
    { weight: 3, arbitrary: fc.tuple(throughArray, test).map(([path, operand]) => ({ [path]: operand })) },
    elements as fc.Arbitrary<Json>,
    typed as fc.Arbitrary<Json>,
    modulo as fc.Arbitrary<Json>,
    all as fc.Arbitrary<Json>,
  ),
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 4, arbitrary: tie('leaf') },
    fc.tuple(fc.constantFrom('$and', '$or', '$nor'), fc.array(tie('filter'), { minLength: 1, maxLength: 3 })).map(([operator, of]) => ({ [operator]: of })),
    fc.tuple(tie('leaf'), tie('leaf')).map(([one, other]) => ({ ...one, ...other })),
  ),
}));
export { filter };

/** mingo sorts an array as a whole; MongoDB's way (the least or greatest element) is in the contract suite. */
export const sortOf = fc.uniqueArray(fc.tuple(fc.constantFrom('s', 'm2', 'd.s', 'none', 'x y/(z)"\\'), fc.constantFrom(1, -1)), { minLength: 1, maxLength: 3, selector: ([path]) => path }).map((keys) => Object.fromEntries(keys));
export const projectionOf = fc.tuple(fc.uniqueArray(fc.constantFrom('s', 'l', 'o.b', 'o.c', 'd.o.b', 'r.c', 'none'), { minLength: 1, maxLength: 3 }), fc.constantFrom(0, 1), fc.constantFrom(undefined, 0)).map(
  ([paths, flag, id]): Json => ({ ...Object.fromEntries(paths.map((path) => [path, flag])), ...(id === 0 && { _id: 0 }) }),
);
