import fc from 'fast-check';
import { read } from './exchange';

const text = fc.string({ unit: fc.constantFrom(...'ab ü漢(),;#=*/$."', "''", '\\\\', "\\S\\a", '\\X\\E9', '\n') }).map((inner) => `'${inner}'`);
const number = fc.oneof(fc.integer().map(String), fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => written(value)));
const plain = fc.oneof(text, number, fc.constantFrom('$', '*', '.T.', '.ELEMENT.', '"0AF"', '#1', '#2'));
const { value } = fc.letrec<{ value: string; list: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, plain, tie('list'), plain.map((inner) => `IFCVALUE(${inner})`)),
  list: fc.array(tie('value'), { maxLength: 4 }).map((values) => `(${values.join(',')})`),
}));
const entity = fc.array(value, { minLength: 1, maxLength: 6 }).map((values) => `IFCTHING(${values.join(',')});`);
/** Numbered from 1, each at the front of a line. */
const entities = fc.array(entity, { minLength: 3, maxLength: 6 }).map((all) => all.map((one, n) => `#${n + 1}=${one}`));

/** As ISO 10303-21 has it: with a point, and an upper E. */
function written(value: number): string {
  const [digits = '', exponent] = String(value).split('e');
  return `${digits.includes('.') ? digits : `${digits}.`}${exponent === undefined ? '' : `E${exponent}`}`;
}

/** One change of one character of a statement, behind its number. */
const change = fc.record({ at: fc.nat(), by: fc.constantFrom('', "'", '(', ')', ',', ';', '#', '.', '"', '/*', '*/', '\\', 'x', '$'), deletes: fc.boolean() });

describe('a file of any entities', () => {
  it('is taken over as it is', () => {
    fc.assert(fc.property(entities, (all) => {
      const data = all.join('\n');
      const { entities: taken, faults, reading } = read(data);
      expect([taken, faults, reading.entities]).toEqual([data, [], all.length]);
    }), { numRuns: 500, seed: 28 });
  });

  it('keeps all others when one of them is changed anywhere, and tells of the one that it leaves out', () => {
    fc.assert(fc.property(entities, fc.nat(), change, (all, which, { at, by, deletes }) => {
      const index = which % all.length;
      const whole = all[index] as string;
      const place = whole.indexOf('=') + 1 + (at % (whole.length - whole.indexOf('=') - 1));
      const changed = `${whole.slice(0, place)}${by}${whole.slice(place + (deletes ? 1 : 0))}`;
      const { entities: taken, faults } = read(all.with(index, changed).join('\n'));
      const others = all.filter((_, n) => n !== index);
      expect(others.filter((other) => !taken.includes(other))).toEqual([]);
      if (!taken.includes(`#${index + 1}=`)) expect(faults).not.toEqual([]);
    }), { numRuns: 2_000, seed: 28 });
  });
});
