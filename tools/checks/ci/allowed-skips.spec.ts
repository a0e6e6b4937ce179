import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowedSkips, parseAllowedSkips, skipJudge } from './allowed-skips';
import { atHand } from './at-hand';
import { repositoryFiles, repositoryRoot } from '../repository/repository';

const judge = (text: string, there: readonly string[] = [], notes: Parameters<typeof skipJudge>[1] = []) => skipJudge(parseAllowedSkips(text), notes, (what) => there.includes(what));

describe('a test', () => {
  it('may be skipped when one of the things is missing that its line names', () => {
    const text = '# why\nthe model * when missing: ../data/model.ifc, go\n';
    expect(judge(text, ['go'])('the model is read')).toBe('there is no ../data/model.ifc');
    expect(judge(text, ['../data/model.ifc'])('the model is read')).toBe('there is no go');
    expect(judge(text, ['../data/model.ifc'])('another model')).toBeUndefined();
    expect(judge('the model when missing: go')('the model is read')).toBeUndefined();
  });

  it('may not be skipped for want of something that is there, whatever reason the run gives', () => {
    const notes = [{ test: 'on kafka a', reason: 'mvn ended with 1' }];
    expect(judge('on kafka* when missing: java, mvn', ['java', 'mvn'], notes)('on kafka a')).toBeUndefined();
  });

  it('may be skipped when the engine cannot do it', () => {
    expect(judge('', [], [{ test: 'on mongo b', reason: 'no $text', cannot: 'on mongo b' }])('on mongo b')).toBe('no $text');
    expect(judge('', [], [{ test: 'on mongo b', reason: '', cannot: 'on mongo b' }])('on mongo b')).toBeUndefined();
  });

  it('may not be skipped without a word of what must be missing', () => {
    expect(() => parseAllowedSkips('the model is read')).toThrow('allowed-skips.txt');
    expect(allowedSkips(repositoryRoot()).every(({ whenMissing }) => whenMissing.length > 0)).toBe(true);
  });
});

describe('a suite for a browser, or for judges from Python', () => {
  const root = repositoryRoot();
  const titles = repositoryFiles(root).filter((path) => /\.(browser|judged)\.ts$/.test(path)).map((path) => [/(?:inChromium\(|const SUITE = )'([^']+)'/.exec(readFileSync(join(root, path), 'utf8'))?.[1] ?? path]);

  it.each(titles)('%s: may be skipped where they are missing', (title) => {
    expect(allowedSkips(root).filter(({ name }) => name.startsWith(`${title} `) && name.endsWith('*')).length).toBe(1);
  });
});

describe('what is at hand', () => {
  const has = atHand(repositoryRoot());

  it('are files, programs and facts', () => {
    expect(['tools/checks', 'node'].map(has)).toEqual([true, true]);
    expect(['tools/none', 'no-such-program'].map(has)).toEqual([false, false]);
    expect(has('root')).toBe(process.getuid?.() === 0);
  });
});
