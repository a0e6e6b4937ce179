import { share } from './subscribed-assigner';

const member = (id: string, ...topics: string[]) => ({ id, topics: new Set(topics) });

describe('share', () => {
  it('gives every partition to one member that wants its topic', () => {
    const shared = share([member('old', 'files'), member('new', 'files', 'teams')], new Map([['files', [0, 1, 2, 3]], ['teams', [0, 1]]]));
    expect(shared.get('old')).toEqual({ files: [0, 2] });
    expect(shared.get('new')).toEqual({ files: [1, 3], teams: [0, 1] });
  });

  it('spreads many topics of one partition as evenly as one topic of many', () => {
    const members = ['a', 'b', 'c'].map((id) => member(id, ...'123456'));
    const shared = share(members, new Map([...'123456'].map((topic) => [topic, [0]])));
    expect([...shared.values()].map((assignment) => Object.keys(assignment).length)).toEqual([2, 2, 2]);
  });

  it('leaves alone what nobody wants any more', () => {
    expect(share([member('a', 'files')], new Map([['teams', [0]], ['files', []]])).get('a')).toEqual({});
  });
});
