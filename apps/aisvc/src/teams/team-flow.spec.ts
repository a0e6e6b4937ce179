import { END, flowIssues, START } from './team-flow';

const edges = (...pairs: [string, string][]) => pairs.map(([from, to]) => ({ from, to }));
const faults = (agents: string[], ...pairs: [string, string][]) => flowIssues(agents, edges(...pairs)).map(({ field, issue }) => `${field} ${issue}`);

describe('a flow', () => {
  it('may branch, join and loop', () => {
    expect(faults(['a', 'b', 'c'], [START, 'a'], ['a', 'b'], ['a', 'c'], ['b', 'a'], ['b', END], ['c', END])).toEqual([]);
  });

  it('names every edge that leads to a stranger', () => {
    expect(faults(['a'], [START, 'x'], ['y', END])).toEqual([
      '_flow[0].to "x" is neither an agent of the team nor __start__ or __end__',
      '_flow[1].from "y" is neither an agent of the team nor __start__ or __end__',
    ]);
  });

  it('leaves no agent and no exit out of reach', () => {
    expect(faults(['a', 'b'], [START, 'a'])).toEqual(['_flow __end__ cannot be reached from __start__', '_flow b cannot be reached from __start__']);
    expect(faults(['a', 'b'], ['a', END], ['b', 'a'])).toHaveLength(3);
  });

  it('begins at the start and ends at the end', () => {
    expect(faults(['a'], ['a', START], [END, 'a'])).toEqual(['_flow[0].to nothing comes before __start__', '_flow[1].from nothing comes after __end__']);
  });
});
