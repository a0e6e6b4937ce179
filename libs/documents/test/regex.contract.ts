import fc from 'fast-check';
import { RE2JS } from 're2js';
import { versionOf, type DocumentStore } from '../src';
import { parseRegex } from '../src/filter/regex';
import { toPostgresRegex } from '../src/regex/translation';
import type { MakeStore } from './document-store.contract';

const TEXTS = ['', 'a', 'A', 'ab', 'AB', 'abc', 'a b', 'a\nb', '\n', 'b\na\n', 'k', 'K', '\u212a', 'ſ', 's', 'é', 'É', '1', '42', 'a1_', '-', ']', '^', '[a]', '😀', 'a😀b', '\t', '\v', '{2}', 'aa', 'aaaa', '.', '\\', 'ß', 'Σ', 'ς', 'ab\ncd', 'foo-bar', 'x{,2}'];
const flagBits = (flags: string) => (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) | (flags.includes('m') ? RE2JS.MULTILINE : 0) | (flags.includes('s') ? RE2JS.DOTALL : 0);

const literal = fc.constantFrom('a', 'b', 'c', 'k', 's', 'é', '1', '_', ' ', '-', '😀', '\\.', '\\n', '\\-', '\\x41', '\\x{1F600}', '\\\\', 'Σ', '\\Qa.\\E', '{', ']');
const set = fc.constantFrom('[abc]', '[^a]', '[a-c1]', '[\\d_]', '[^\\w]', '[\\D]', '[[:alpha:]]', '[^[:space:]]', '[]a]', '[^]a]', '[a\\]]', '[\\s-]', '[^\\n]', '[\\W\\w]', '[k-s]', '[^\\W\\w]', '[é-ÿ]', '[^k]');
const atom = fc.oneof({ weight: 5, arbitrary: literal }, { weight: 3, arbitrary: set }, fc.constantFrom('.', '\\d', '\\w', '\\s', '\\D', '\\W', '\\S'));
const count = fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '{2}', '{1,2}', '{0,}?', '??');
const assertion = fc.constantFrom('^', '$', '\\b', '\\B', '\\A', '\\z');
const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  piece: fc.oneof({ maxDepth: 3 }, fc.tuple(atom, count).map((parts) => parts.join('')), assertion, fc.tuple(fc.constantFrom('(', '(?:', '(?P<n>'), tie('pattern'), count).map(([open, inner, times]) => `${open}${inner})${inner === '' ? '' : times}`)),
  pattern: fc.array(fc.oneof({ weight: 6, arbitrary: tie('piece') }, { weight: 1, arbitrary: fc.constant('|') }), { maxLength: 4 }).map((parts) => parts.join('')),
}));

type IsAsked = (source: string) => boolean;

export function describeRegularExpressions(name: string, makeStore: MakeStore): void {
  describe(`regular expressions: ${name}`, () => {
    const texts = useTexts(makeStore);
    compareWithRe2(texts, () => true);
    expectRefusals(texts);
  });
}

/** Only of patterns that the store is asked. */
export function describeRegexMeaning(name: string, makeStore: MakeStore, isAsked: IsAsked): void {
  describe(`regular expressions: ${name}`, () => compareWithRe2(useTexts(makeStore), isAsked));
}

interface Texts {
  readonly store: () => DocumentStore;
  readonly matches: (source: string, flags: string) => Promise<unknown[]>;
}

function useTexts(makeStore: MakeStore): Texts {
  let store: DocumentStore;
  let close: (() => Promise<void>) | undefined;
  const target = versionOf('texts', 'v');
  beforeAll(async () => {
    ({ store, close } = await makeStore());
    await store.createCollection('texts');
    await store.transaction((tx) => store.insertMany(tx, target, TEXTS.map((t, index) => ({ _id: `${index}`, t }))));
  });
  afterAll(() => close?.());
  const matches = async (source: string, flags: string) =>
    (await store.find(target, { filter: { t: { $regex: source, $options: flags } }, limit: 1_000 })).map((row) => row['t']);
  return { store: () => store, matches };
}

function compareWithRe2({ matches }: Texts, isAsked: IsAsked): void {
  it('means in the store what RE2 means', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(pattern.filter(isAsked), fc.constantFrom('', '', 'i', 'm', 's', 'ims'), async (source, flags) => {
        let test;
        try {
          test = parseRegex(source, flags, 't');
          // All stores refuse the same.
          toPostgresRegex(test);
        } catch {
          return;
        }
        compared += 1;
        const engine = RE2JS.compile(source, flagBits(flags));
        expect({ source, flags, found: await matches(source, flags) }).toEqual({ source, flags, found: TEXTS.filter((text) => engine.matcher(text).find()) });
      }),
      { seed: 4, numRuns: 400, endOnFailure: false },
    );
    expect(compared).toBeGreaterThan(230);
  });
}

function expectRefusals({ store, matches }: Texts): void {
  it.each(['(?=a)', '(?!a)', '(?<=a)b', '(a)\\1', '(', '[z-a]', 'a'.repeat(1_001)])('refuses what RE2 does not know (%#)', async (source) => {
    await expect(matches(source, '')).rejects.toMatchObject({ status: 400 });
  });

  it('answers by as many as a filter has conditions', async () => {
    const few = versionOf('texts', 'few');
    await store().transaction((tx) => store().insertMany(tx, few, ['wall 42', 'wall 42 b', 'wall'].map((t, n) => ({ _id: `${n}`, t }))));
    for (const source of [() => '^wall \\d+$', (n: number) => `^w?all ${n}\\d+$`]) {
      const filter = { $or: Array.from({ length: 1_000 }, (_, n) => ({ t: { $regex: source(n) } })) };
      expect((await store().find(few, { filter, limit: 10 })).map((row) => row['t'])).toEqual(['wall 42']);
    }
  });

  it.each(['\\pL', '(?i:a)', 'a{256}', '^*', '\\C'])('refuses what not every store has: %s', async (source) => {
    await expect(matches(source, '')).rejects.toMatchObject({ status: 400 });
  });

  it('refuses options that it does not know', async () => {
    await expect(matches('a', 'x')).rejects.toMatchObject({ code: 'invalid' });
  });

  it('gives up after two seconds', async () => {
    const slow = versionOf('texts', 'slow');
    const documents = Array.from({ length: 20_000 }, (_, index) => ({ _id: `${index}`, t: `${'xyxxyyxy'.repeat(60)}${index}` }));
    await store().transaction((tx) => store().insertMany(tx, slow, documents));
    const before = Date.now();
    await expect(store().count(slow, { t: { $regex: '(x|y|xy|yx)*(xx|yy|x)*(xyx|yxy)*[xy]{100,200}z$' } })).rejects.toMatchObject({ code: 'query_too_slow', status: 400 });
    // The rest is for a machine that stops for seconds; without the limit it takes minutes.
    expect(Date.now() - before).toBeLessThan(20_000);
  });
}
