import { covers, parseCannot, readCannot } from './cannot';

describe('what an engine cannot do', () => {
  it('is a line each: engine, test, reason; comments and empty lines aside', () => {
    expect(parseCannot('# why\n\nmongo | on mongo a document * | no transactions\n')).toEqual([{ engine: 'mongo', name: 'on mongo a document *', reason: 'no transactions' }]);
  });

  it('is refused without a reason', () => {
    expect(() => parseCannot('mongo | on mongo a document')).toThrow(/<why>.*on mongo a document/);
  });

  it('covers a test by its full name, or by how it begins', () => {
    const [whole, beginning] = parseCannot('mongo | on mongo a | b\nmongo | on mongo a* | b');
    expect([whole, beginning].map((line) => line && covers(line, 'on mongo a and b'))).toEqual([false, true]);
    expect(whole && covers(whole, 'on mongo a')).toBe(true);
  });

  it('names engines that there are, as it stands in the repository', () => {
    const engines: readonly string[] = ['kafka', 'versitygw', 'minio', 'mongo', 'postgres'];
    expect(readCannot().filter(({ engine }) => !engines.includes(engine))).toEqual([]);
  });
});
