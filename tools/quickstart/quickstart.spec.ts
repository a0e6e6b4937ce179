import { differences } from './differences';
import { blocksOf } from './page';
import { runBlocks } from './run-page';

describe('a page with commands', () => {
  it('has its blocks read with the answers behind them', () => {
    const page = '# A\n\n```bash\na=1\n```\n\nThen:\n\n```bash\necho $a\n```\n\n```json\n1\n```\n\n```powershell\n$a\n```\n';
    expect(blocksOf(page)).toEqual([{ commands: 'a=1\n' }, { commands: 'echo $a\n', answer: 1 }]);
  });

  it('is typed into one shell, which tells where it fails', async () => {
    expect(await runBlocks([{ commands: 'a=1\n' }, { commands: 'echo $a $B\n' }], '/', { B: '2' })).toEqual(['', '1 2\n']);
    await expect(runBlocks([{ commands: 'true\n' }, { commands: 'ls /not-there\n' }, { commands: 'true\n' }], '/')).rejects.toThrow(/block 2 of 3 ended with .*\nls \/not-there/);
  });

  it.each([
    ['what is shown in full', { a: [1, 'x', null] }, { a: [1, 'x', null] }, []],
    ['another number', { a: 1 }, { a: 2 }, ['.a: 2 in the place of 1']],
    ['a text that goes on', { a: '2026-…' }, { a: '2026-11-28' }, []],
    ['a text that begins otherwise', { a: '2026-…' }, { a: '2025-01-01' }, ['.a: "2025-01-01" does not begin with "2026-"']],
    ['a member that is not shown', { a: 1 }, { a: 1, b: 2 }, ['.b: is not shown']],
    ['more members, where it says so', { a: 1, '…': '…' }, { a: 1, b: 2 }, []],
    ['a member that is missing', { a: 1, b: 2 }, { a: 1 }, ['.b: undefined in the place of 2']],
    ['a longer list', [1], [1, 2], [': has 2 elements']],
    ['more elements, where it says so', [1, '…'], [1, 2, 3], []],
    ['no more elements, where it says so', [1, '…'], [1], [': has 1 elements']],
    ['an object in the place of a list', [1], { a: 1 }, [': is no list']],
  ])('compares answers: %s', (_what, shown, answered, expected) => expect(differences(shown, answered)).toEqual(expected));
});
