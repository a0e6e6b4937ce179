import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { foldCase } from './fold-case';
import { mailboxOf } from './mailbox';

describe('an address of one mailbox', () => {
  it.each([
    'x,victim@example.com', 'x;victim@example.com', 'x<y@example.com', '(c)y@example.com', 'x:y@example.com', 'x y@example.com', '"x"@example.com', 'x@y@example.com', 'Night desk <desk@example.com>', '<x@example.com>',
    '.x@example.com', 'x.@example.com', 'x..y@example.com', '@example.com', 'x@', 'x', '', 'x@example', 'x@localhost', 'x@example..com', 'x@-example.com', 'x@example-.com', 'x@.', 'x@.com', 'x@example.com..', 'x@exa_mple.com',
    'x@[127.0.0.1]', 'x@127.0.0.1', 'x@127.1', 'x@0x7f.1', 'x@example.1', 'x@exa%6dple.com', 'x@example.com/', 'x@example.com:25', 'x@example.com?', 'x@exa mple.com', 'x@xn--a.com', 'x\0@example.com', 'x\r\nBcc: y@example.com',
    'x\u200b@example.com', 'x\u202e@example.com', 'x\u00ad@example.com', 'x\u00a0y@example.com', 'x\\y@example.com', `${'x'.repeat(65)}@example.com`, `${'ü'.repeat(33)}@example.com`, `x@${'a'.repeat(64)}.com`, `${'x'.repeat(64)}@${'a.'.repeat(95)}com`,
  ])('is not %j', (text) => {
    expect(mailboxOf(text)).toBeUndefined();
  });

  it.each([
    ['Desk@Example.COM', 'desk@example.com'], [' desk@example.com ', 'desk@example.com'], ["o'brien+tag@sub.example.co.uk", "o'brien+tag@sub.example.co.uk"], ['a!#$%&\'*+/=?^_`{|}~-z@example.com', 'a!#$%&\'*+/=?^_`{|}~-z@example.com'],
    ['x@bücher.example', 'x@bücher.example'], ['x@BÜCHER.example', 'x@bücher.example'], ['x@xn--bcher-kva.example', 'x@bücher.example'], ['x@XN--BCHER-KVA.EXAMPLE', 'x@bücher.example'],
    ['x@ｅｘａｍｐｌｅ.com', 'x@example.com'], ['x@ex\u00adample.com', 'x@example.com'], ['x@example.com.', 'x@example.com'], ['x@example。com', 'x@example.com'], ['ſam@example.com', 'sam@example.com'], ['\u212aim@example.com', 'kim@example.com'],
    ['JÜRGEN@example.com', 'jürgen@example.com'], ['ju\u0308rgen@example.com', 'jürgen@example.com'], ['ΣΊΣΥΦΟΣ@example.com', 'σίσυφοσ@example.com'], ['ı@example.com', 'ı@example.com'], ['straße@example.com', 'straße@example.com'], ['用户@例子.广告', '用户@例子.广告'],
    [`${'ü'.repeat(32)}@example.com`, `${'ü'.repeat(32)}@example.com`],
  ])('is %j, known as %j', (text, address) => {
    expect(mailboxOf(text)).toBe(address);
  });

  it('is itself where it is known already, and the same in any case', () => {
    const local = fc.stringMatching(/^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]{1,20}(\.[\p{L}\p{N}-]{1,5})?$/u);
    const host = fc.stringMatching(/^[\p{L}\p{N}]{1,9}(-[a-z\d]{1,4})?(\.[\p{L}]{2,9}){1,2}$/u);
    fc.assert(fc.property(local, host, (one, other) => {
      const address = mailboxOf(`${one}@${other}`);
      if (address === undefined) return;
      expect([mailboxOf(address), mailboxOf(`${address}.`), mailboxOf(`${one}@${domainToASCII(other).toUpperCase()}`)]).toEqual([address, address, address]);
    }), { numRuns: 2_000 });
  });
});

describe('simple case folding', () => {
  it('is that of regular expressions that ignore case, for every letter that has another', () => {
    const wrong: string[] = [];
    for (let code = 0; code < 0x11_0000; code += 1) {
      const letter = String.fromCodePoint(code);
      if (!/\p{L}|\p{N}|\p{S}|\p{M}/u.test(letter)) continue;
      for (const other of [letter.toUpperCase(), letter.toLowerCase(), letter.toUpperCase().toLowerCase()]) {
        if (other === letter || [...other].length !== 1) continue;
        const isSame = new RegExp(`^${other}$`, 'iu').test(letter);
        if (isSame !== (foldCase(letter) === foldCase(other))) wrong.push(letter);
      }
    }
    expect(wrong).toEqual([]);
  });
});
