import fc from 'fast-check';
import { findInexactNumber, refuseInexactNumbers } from './exact-numbers';

const found = (json: string) => findInexactNumber(json)?.number;

/** `2.5e+21`: what is large is written with an exponent. */
function integerOf(json: string): bigint {
  const [digits = '', exponent = '0'] = json.split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  return BigInt(whole + fraction.padEnd(Number(exponent), '0'));
}

describe('numbers that a double does not keep', () => {
  it.each([
    '9007199254740993', '-9007199254740993', '12345678901234567890', '18446744073709551615', '9223372036854775807', '123456789012345680001', '1e400', '-1E+400', '1.5e309', `${'9'.repeat(400)}`,
    '9007199254740993.0', '9007199254740992.5', '9.007199254740993e15', '90071992547409930e-1', '0.9007199254740993E16', '1e-400', '0.5e-330', `0.${'0'.repeat(400)}1`, `1${'0'.repeat(309)}`,
  ])('are found: %s', (number) => {
    expect([found(number), found(`[1, ${number}]`), found(`{"a":\n${number}}`)]).toEqual([number, number, number]);
  });

  it.each([
    '0', '-0', '0.0', '0e5', '0e-400', '-0.000', '1', '21.5', '0.1', '0.1234567890123456789', '3.141592653589793238462643383279', '9007199254740991', '9007199254740992', '9007199254740994', '-9007199254740994', '1e21', '1e22', '1e23',
    '1.7976931348623157e308', '5e-324', '2.5e-310', '1180591620717411303424', '1764104925123', '1.2345678E7', '1e-07', '100000000000000000000', '123456789012345680000', '9007199254740992.000', `1${'0'.repeat(22)}`, `1.${'0'.repeat(50_000)}`,
  ])('are not: %s', (number) => {
    expect([found(number), found(`[${number}]`), found(`{"a": ${number}}`)]).toEqual([undefined, undefined, undefined]);
  });

  it('are not looked for in texts', () => {
    expect(found(JSON.stringify({ a: ': 9007199254740993', ', 1e400': '\\', b: '",12345678901234567890', c: ['\\"', '[-1e999']}))).toBeUndefined();
    expect(found('{"a":"\\\\",  "b":9007199254740993}')).toBe('9007199254740993');
  });

  it('are the integers that come back as others, and no other', () => {
    fc.assert(fc.property(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), fc.integer({ min: 0, max: 40 }), (integer, zeros) => {
      const number = BigInt.asIntN(82, (integer >> BigInt(zeros)) << BigInt(zeros)).toString();
      const isKept = BigInt(Number(number)).toString() === number || integerOf(JSON.stringify(Number(number))) === BigInt(number);
      expect(found(`[${number}]`)).toBe(isKept ? undefined : number);
    }), { numRuns: 2_000, examples: [[-201158604186475399999489n, 9]] });
  });

  it('are none of what JSON.stringify writes', () => {
    fc.assert(fc.property(fc.jsonValue(), fc.double(), fc.bigInt({ min: 0n, max: 2n ** 1000n }), (value, double, large) => {
      expect(found(JSON.stringify([value, double, Number(large)]))).toBeUndefined();
    }), { numRuns: 2_000 });
  });

  it('are named by their path', () => {
    const step = fc.oneof(fc.string(), fc.nat(3));
    fc.assert(fc.property(fc.array(step, { maxLength: 6 }), fc.jsonValue(), (steps, other) => {
      const beside = (key: string) => ({ [`${key}#`]: other, ' 9007199254740993': ['": 1e400', other] });
      const value = steps.reduceRight<unknown>((inner, at) => (
        typeof at === 'number' ? [...Array.from({ length: at }, () => other), inner, other] : { ...beside(at), [at === '__proto__' ? 'p' : at]: inner, last: other }
      ), 'HERE');
      const json = JSON.stringify(value).replace('"HERE"', '1e999');
      fc.pre(!JSON.stringify(other).includes('HERE') && !steps.includes('last') && !steps.includes(' 9007199254740993'));
      expect(findInexactNumber(json)).toEqual({ number: '1e999', path: steps.map((at) => (typeof at === 'number' ? `[${at}]` : `.${at === '__proto__' ? 'p' : at}`)).join('') });
    }), { numRuns: 500 });
  });

  it('are refused with 400, the path and the number, in few words however long they are', () => {
    const refused = (json: string) => { try { return refuseInexactNumbers(json); } catch (error) { return error; } };
    expect(refused('[{"serial": 9007199254740993}]')).toMatchObject({
      status: 400, code: 'inexact_number', message: '[0].serial: 9007199254740993 is a number that cannot be kept as it is; send it as a text',
      details: [{ field: '[0].serial', issue: '9007199254740993 is a number that cannot be kept as it is; send it as a text' }],
    });
    const { message } = refused(`{${JSON.stringify('k'.repeat(100_000))}:${'9'.repeat(100_000)}}`) as Error;
    expect(message.length).toBeLessThan(1_200);
    expect(refused('[1, 2.5, "9007199254740993"]')).toBeUndefined();
  });

  it('cost time in proportion to the text, whatever it is made of', () => {
    for (const json of [`[${'1180591620717411303424,'.repeat(100_000)}1]`, `[9007199254740992.${'0'.repeat(1_000_000)}]`, `[1e16,"${'\\"'.repeat(1_000_000)}"]`, `[1e16,${'"\\\\",'.repeat(300_000)}1]`]) {
      const began = process.cpuUsage();
      findInexactNumber(json);
      // A square of it would be minutes.
      expect(process.cpuUsage(began).user).toBeLessThan(10_000_000);
    }
  });
});
