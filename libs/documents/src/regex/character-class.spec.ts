import { foldRanges } from './character-class';

const texts = (code: number) => String.fromCodePoint(code);
const isAlike = (one: number, other: number) => new RegExp(`^\\u{${one.toString(16)}}$`, 'iu').test(texts(other));
const foldsOf = (code: number) => foldRanges([[code, code]]).flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index));

describe('letters without regard to case', () => {
  it.each([
    ['k', 'Kk\u212a'], ['s', 'Ssſ'], ['ß', 'ßẞ'], ['σ', 'Σςσ'], ['ü', 'Üü'], ['ж', 'Жж'], ['i', 'Ii'], ['ı', 'ı'], ['İ', 'İ'], ['1', '1'], ['𐐨', '𐐀𐐨'],
  ])('%s is any of %s', (letter, letters) => {
    expect(foldsOf(letter.codePointAt(0) as number).map(texts).join('')).toBe(letters);
  });

  it('are alike exactly where simple case folding says so, in all of Unicode', () => {
    const wrong: string[] = [];
    for (let code = 65; code < 0x1f000; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const folds = foldsOf(code);
      const cases = [texts(code).toUpperCase(), texts(code).toLowerCase()].flatMap((text) => ([...text].length === 1 ? [text.codePointAt(0) as number] : []));
      if (!folds.every((other) => isAlike(code, other)) || !cases.every((other) => !isAlike(code, other) || folds.includes(other))) wrong.push(texts(code));
    }
    expect(wrong).toEqual([]);
  });

  it('are few ranges, each code in one', () => {
    expect(foldRanges([[0x61, 0x7a]])).toEqual([[0x41, 0x5a], [0x61, 0x7a], [0x17f, 0x17f], [0x212a, 0x212a]]);
  });
});
