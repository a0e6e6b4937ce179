import { Injectable } from '@nestjs/common';
import { type NamespaceScope } from '@twinyard/auth';
import { limitExceeded, toPage } from '@twinyard/conventions';
import { NamedItemsRepository } from '../nameditems/named-items.repository';
import { RelatedItemsRepository, type Spot } from '../relateditems/related-items.repository';
import { endKey } from '../relationships/relation';
import { VersionsRepository } from '../versions/versions.repository';
import { Paths, type PathSegment } from './graph-paths';
import { hidesId, withId, without } from '../storage/projected-ids';
import { RelatedFinder } from './related-finder';
import type { FindGraph, GraphSegment } from './search-request';

/** Nodes that a graph may have. */
const MAX_NODES = 50_000;

/** Where a node of a path lies; its body is among the referenced items. */
interface PathNode {
  readonly _userItemId: string;
  readonly _userItemVersionId: string;
  readonly _version: number;
  readonly _id: string;
  readonly child?: PathNode;
}

/** `[_userItemId][_userItemVersionId][_id]` → the item */
export type ReferencedItems = Record<string, Record<string, Record<string, unknown>>>;

/** What the store said: one entry for each segment and node, however many paths lead there. */
interface Graph {
  readonly steps: Map<PathSegment, Map<string, string[]>>;
  readonly bodies: Map<string, Record<string, unknown>>;
}

/** `$findWithRelatedGraph` in one collection version (contract 2.6): rows of the start, each with the paths that lead from it along the segments. */
@Injectable()
export class FindRelatedGraph {
  constructor(
    private readonly items: NamedItemsRepository,
    private readonly versions: VersionsRepository,
    private readonly related: RelatedItemsRepository,
    private readonly finder: RelatedFinder,
  ) {}

  async run(scope: NamespaceScope, spot: Spot, search: FindGraph): Promise<Record<string, unknown>> {
    const { paging, query, sort, projection, segments, as } = search;
    const wanted = withId(projection);
    const { rows, ...page } = await this.related.list(spot, { tenant: scope.tenant, paging, ...(query && { filter: query }), ...(sort && { sort }), ...(wanted && { projection: wanted }) });
    const starts = rows.map((row) => ({ key: endKey(spot.versionId, row._id), view: hidesId(projection) ? without(row, '_id') : { ...row } }));
    const graph = await this.explore(scope, starts.map(({ key }) => key), segments);
    const paths = new Paths(segments, graph.steps);
    const found = starts.map(({ key }) => paths.from(key));
    const placeOf = await this.places(new Set(found.flat(2)));
    starts.forEach(({ view }, index) => {
      const list = (found[index] ?? []).map((path) => toNodes(path, placeOf));
      view[as] = { _list: list, _total: list.length };
    });
    return {
      _relatedItems: { ...toPage({ rows: starts, ...page }, paging, ({ view }) => view), _referencedItems: referencedBy(placeOf, graph.bodies) },
    };
  }

  /** Segment by segment, and for each depth all nodes at once: what is asked of the store depends on the levels, not on the rows. */
  private async explore(scope: NamespaceScope, starts: readonly string[], segments: readonly GraphSegment[]): Promise<Graph> {
    const graph: Graph = { steps: new Map(), bodies: new Map() };
    const reached = new Map<string | undefined, ReadonlySet<string>>([[undefined, new Set(starts)]]);
    for (const segment of segments) reached.set(segment.as, await this.follow(scope, segment, reached.get(segment.from) ?? new Set(), graph));
    return graph;
  }

  private async follow(scope: NamespaceScope, segment: GraphSegment, from: ReadonlySet<string>, { steps, bodies }: Graph): Promise<ReadonlySet<string>> {
    const edges = new Map<string, string[]>();
    const reached = new Set<string>();
    steps.set(segment, edges);
    let frontier = [...from];
    for (let depth = 1; depth <= segment.maxDepth && frontier.length > 0; depth += 1) {
      const matches = await this.finder.matches(scope, frontier.map((key) => ({ key })), segment, true);
      for (const key of frontier) edges.set(key, []);
      for (const [key, rows] of matches) {
        edges.set(key, rows.map((row) => row.key));
        for (const row of rows) {
          reached.add(row.key);
          bodies.set(row.key, { ...row.toObject(), ...bodies.get(row.key) });
        }
      }
      if (bodies.size > MAX_NODES) throw limitExceeded(`The graph has more than ${MAX_NODES} nodes; narrow the start or the segments`, 'body');
      frontier = [...reached].filter((key) => !edges.has(key));
    }
    return reached;
  }

  /** What a path says of each of its nodes. */
  private async places(keys: ReadonlySet<string>): Promise<ReadonlyMap<string, PathNode>> {
    const versionIds = [...new Set([...keys].map((key) => splitKey(key).versionId))];
    const versions = new Map((await this.versions.findMany(versionIds)).map((version) => [version._id, version]));
    const items = new Map((await this.items.readMany([...new Set([...versions.values()].map(({ _userItemDbId }) => _userItemDbId))])).map((item) => [item._id, item]));
    return new Map([...keys].flatMap((key): [string, PathNode][] => {
      const { versionId, id } = splitKey(key);
      const version = versions.get(versionId);
      const item = version && items.get(version._userItemDbId);
      // Gone since it was found.
      if (version === undefined || item === undefined) return [];
      return [[key, { _userItemId: item._userItemId, _userItemVersionId: versionId, _version: version._version, _id: id }]];
    }));
  }
}

function splitKey(key: string): { readonly versionId: string; readonly id: string } {
  const colon = key.indexOf(':');
  return { versionId: key.slice(0, colon), id: key.slice(colon + 1) };
}

/** The first node of a path, with the next as its child, and so on. */
function toNodes(path: readonly string[], placeOf: ReadonlyMap<string, PathNode>): PathNode {
  return path.reduceRight<PathNode | undefined>((child, key) => ({ ...(placeOf.get(key) as PathNode), ...(child && { child }) }), undefined) as PathNode;
}

function referencedBy(placeOf: ReadonlyMap<string, PathNode>, bodies: ReadonlyMap<string, Record<string, unknown>>): ReferencedItems {
  const referenced: ReferencedItems = {};
  for (const [key, { _userItemId, _userItemVersionId, _id }] of placeOf) {
    const versions = (referenced[_userItemId] ??= {});
    (versions[_userItemVersionId] ??= {})[_id] = bodies.get(key);
  }
  return referenced;
}

/** Those of several answers in one. */
export function mergeReferenced(parts: readonly ReferencedItems[]): ReferencedItems {
  const merged: ReferencedItems = {};
  for (const part of parts) {
    for (const [itemId, versions] of Object.entries(part)) {
      for (const [versionId, bodies] of Object.entries(versions)) Object.assign(((merged[itemId] ??= {})[versionId] ??= {}), bodies);
    }
  }
  return merged;
}
