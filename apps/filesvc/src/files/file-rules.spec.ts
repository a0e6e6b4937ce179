import { extensionOf, faultOfName, normaliseName } from './file-name';
import { faultOfTags, toTags } from './file-tags';
import { parseNamePattern } from './name-pattern';

describe('a name', () => {
  it.each(['a', 'plan.pdf', '.hidden', '...', 'a b', 'ß'.repeat(127), '图纸.dwg', 'x'.repeat(255), ' lead', 'trail ', 'dot.', 'CON', 'aux.txt', 'COM1', 'a:b', '~', 'ملف.pdf', 'a\u200fb', '%2e%2e', 'a;b"c'])('may be %j', (name) => {
    expect(faultOfName(name)).toBeUndefined();
  });

  it.each([undefined, 1, '', '  ', '.', '..', 'a/b', 'a\\b', 'a\u0000', 'a\nb', '\u007f', '\u0085', '\u2028', '\ud800', 'a\udc00', 'plan\u202efdp.exe', '\u202aa', '\u2066a\u2069', 'x\u009fy', 'a\r\nSet-Cookie: b', 'x'.repeat(256), 'ß'.repeat(128)])('may not be %j', (name) => {
    expect(faultOfName(name)).toBeDefined();
  });

  it('is kept composed', () => {
    expect(normaliseName('e\u0301')).toBe('é');
    expect(faultOfName('e\u0301'.repeat(127))).toBeUndefined();
  });

  it.each([['a.TXT', 'txt'], ['a.b.glb', 'glb'], ['.hidden', ''], ['none', ''], ['dot.', '']])('%s has the extension %j', (name, extension) => {
    expect(extensionOf(name)).toBe(extension);
  });
});

describe('tags', () => {
  it('are trimmed, none empty, each once', () => {
    expect(toTags([' a ', '', 'b', 'a'])).toEqual(['a', 'b']);
  });

  it.each([[['a']], [[]], [Array.from({ length: 10 }, (_, index) => `t${index}`)], [['😀'.repeat(50)]], [Array.from({ length: 30 }, () => 'same')]])('may be %j', (tags) => {
    expect(faultOfTags(tags)).toBeUndefined();
  });

  it.each([['a'], [[1]], [Array.from({ length: 11 }, (_, index) => `t${index}`)], [['x'.repeat(51)]]])('may not be %j', (tags) => {
    expect(faultOfTags(tags)).toBeDefined();
  });
});

describe('a pattern of names', () => {
  it.each([
    ['plan', 'contains', 'plan'], ['^plan', 'startsWith', 'plan'], ['plan$', 'endsWith', 'plan'], ['^a\\.b \\(1\\)$', 'equals', 'a.b (1)'], ['', 'contains', ''], ['a\\$', 'contains', 'a$'], ['e\u0301', 'contains', 'é'],
  ])('%s is mere text', (source, kind, text) => {
    expect(parseNamePattern(source)).toEqual({ kind, text });
  });

  it.each([['a.b', 'axb', 'ab'], ['^\\d+$', '12', 'a1'], ['a|b', 'b', 'c'], ['(?i)PLAN', 'a plan', 'pla'], ['\\Qa.b\\E', 'a.b', 'axb'], ['\\pN', '١', 'a']])('%s finds %j and not %j', (source, yes, no) => {
    const pattern = parseNamePattern(source);
    if (pattern.kind !== 'expression') throw new Error('taken for mere text');
    expect(pattern.matches(yes)).toBe(true);
    expect(pattern.matches(no)).toBe(false);
  });

  it.each(['(?=a)', '(?<!a)b', '(a)\\1', '[', 'a**', '\\', 'x'.repeat(1_001)])('%s is refused', (source) => {
    expect(() => parseNamePattern(source)).toThrow(expect.objectContaining({ status: 400 }));
  });
});
