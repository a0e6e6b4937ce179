import type { FieldIssue } from '@twinyard/conventions';

export const START = '__start__';
export const END = '__end__';

/** From one node to the next; a node is an agent's `_userType`, `__start__` or `__end__`. */
export interface FlowEdge {
  readonly from: string;
  readonly to: string;
}

/**
 * Every fault of a flow (contract 6): each name is `__start__`, `__end__` or an agent of the team; everything is reachable
 * from `__start__`; `__end__` is reachable. Nothing leads into `__start__` or out of `__end__`.
 */
export function flowIssues(agents: readonly string[], flow: readonly FlowEdge[]): FieldIssue[] {
  const nodes = new Set([START, END, ...agents]);
  const edgeIssues = flow.flatMap((edge, index) => issuesOfEdge(edge, index, nodes));
  if (edgeIssues.length > 0) return edgeIssues;
  const reached = reachableFrom(START, flow);
  const stranded = [END, ...agents].filter((node) => !reached.has(node));
  return stranded.map((node) => ({ field: '_flow', issue: `${node} cannot be reached from ${START}` }));
}

function issuesOfEdge({ from, to }: FlowEdge, index: number, nodes: ReadonlySet<string>): FieldIssue[] {
  const unknown = (side: 'from' | 'to', name: string) =>
    nodes.has(name) ? [] : [{ field: `_flow[${index}].${side}`, issue: `${JSON.stringify(name)} is neither an agent of the team nor ${START} or ${END}` }];
  return [
    ...unknown('from', from),
    ...unknown('to', to),
    ...(from === END ? [{ field: `_flow[${index}].from`, issue: `nothing comes after ${END}` }] : []),
    ...(to === START ? [{ field: `_flow[${index}].to`, issue: `nothing comes before ${START}` }] : []),
  ];
}

function reachableFrom(start: string, flow: readonly FlowEdge[]): ReadonlySet<string> {
  const reached = new Set([start]);
  const waiting = [start];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const { from, to } of flow) {
      if (from !== node || reached.has(to)) continue;
      reached.add(to);
      waiting.push(to);
    }
  }
  return reached;
}
