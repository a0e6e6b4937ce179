import { parseCollectionDesc, type SearchPart } from './search-fields';
import type { FindGraph, GraphSegment } from './search-request';

export const GRAPH_LIMITS = { segments: 16, depth: 32 } as const;

/** `{ start, to: { segments: [{ from?, relatedDesc, query?, options?, as, minDepth?, maxDepth? }], as } }` */
export function parseGraph(part: SearchPart): FindGraph {
  const start = part.part('start');
  const collectionProjection = start.projection('collectionProject');
  const to = part.part('to');
  return {
    operator: '$findWithRelatedGraph',
    collections: parseCollectionDesc(start),
    ...(collectionProjection && { collectionProjection }),
    ...start.list(),
    segments: parseSegments(to),
    as: to.alias(),
  };
}

function parseSegments(to: SearchPart): GraphSegment[] {
  const parts = to.parts('segments');
  if (parts.length === 0 || parts.length > GRAPH_LIMITS.segments) to.issues.add(`${to.at}.segments`, `must have 1 to ${GRAPH_LIMITS.segments} segments`);
  const names: string[] = [];
  return parts.map((part) => {
    const from = part.text('from', false);
    if (from !== undefined && !names.includes(from)) part.issues.add(`${part.at}.from`, `no segment before is named ${from}`);
    const as = part.alias();
    if (names.includes(as)) part.issues.add(`${part.at}.as`, `${as} stands twice`);
    names.push(as);
    return { desc: part.relatedDesc(), ...part.list(), as, related: [], ...(from !== undefined && { from }), ...parseDepths(part) };
  });
}

function parseDepths(part: SearchPart): { readonly minDepth: number; readonly maxDepth: number } {
  const depthOf = (name: string, fallback: number): number => {
    const value = part.source[name] ?? fallback;
    if (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= GRAPH_LIMITS.depth) return value as number;
    part.issues.add(`${part.at}.${name}`, `must be a whole number from 1 to ${GRAPH_LIMITS.depth}`);
    return fallback;
  };
  const minDepth = depthOf('minDepth', 1);
  const maxDepth = depthOf('maxDepth', minDepth);
  if (maxDepth < minDepth) part.issues.add(`${part.at}.maxDepth`, 'must not be less than minDepth');
  return { minDepth, maxDepth };
}
