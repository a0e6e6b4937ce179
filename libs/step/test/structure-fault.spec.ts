import { structureFaultOf } from '../src';
import { exchange } from './exchange';

describe('a glance at an exchange structure', () => {
  it.each([
    ['is empty', '', 'empty'],
    ['is something else', 'PK\u0003\u0004', 'no start'],
    ['was cut off', exchange('').slice(0, 30), 'no end'],
  ])('tells that a file %s', (_, text, fault) => {
    expect(structureFaultOf(Buffer.from(text))).toBe(fault);
  });

  it.each([['whole', exchange('')], ['in small letters', exchange('').toLowerCase()], ['behind a byte order mark', `\ufeff${exchange('')}`]])('finds nothing against one that is %s', (_, text) => {
    expect(structureFaultOf(Buffer.from(text))).toBeUndefined();
  });
});
