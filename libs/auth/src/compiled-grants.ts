import { type Irn, parseIrn, type ResourceType } from '@twinyard/conventions';
import type { Grant } from './grants';
import type { ScopeArea } from './namespace-scope';

/**
 * A caller's grants serve many requests while a service keeps them, and each request asks several times of all of them. So what can be
 * read out of them is read once, and forgotten with them.
 */
const irns = new WeakMap<Grant, Irn>();
const groups = new WeakMap<readonly Grant[], ReadonlyMap<string, readonly Grant[]>>();
const areas = new WeakMap<readonly Grant[], Map<string, ScopeArea>>();
const types = new Map<ResourceType, readonly [service: string, type: string]>();

export function irnOf(grant: Grant): Irn {
  const known = irns.get(grant);
  if (known !== undefined) return known;
  const irn = parseIrn(grant.irn);
  irns.set(grant, irn);
  return irn;
}

/** By namespace; of those that are `wanted`, where some are. */
export function groupsOf(grants: readonly Grant[], wanted: readonly string[] | undefined): ReadonlyMap<string, readonly Grant[]> {
  const all = groups.get(grants) ?? group(grants);
  groups.set(grants, all);
  return wanted === undefined ? all : new Map(wanted.flatMap((namespace) => (all.has(namespace) ? [[namespace, all.get(namespace) ?? []]] : [])));
}

function group(grants: readonly Grant[]): ReadonlyMap<string, readonly Grant[]> {
  const found = new Map<string, Grant[]>();
  for (const grant of grants) {
    const same = found.get(grant.namespace);
    if (same === undefined) found.set(grant.namespace, [grant]);
    else same.push(grant);
  }
  return found;
}

/** What the grants of one namespace come to, for one action and type. */
export function areaOf(grants: readonly Grant[], asked: string, make: () => ScopeArea): ScopeArea {
  const known = areas.get(grants) ?? new Map<string, ScopeArea>();
  areas.set(grants, known);
  const area = known.get(asked) ?? make();
  known.set(asked, area);
  return area;
}

/** `itemsvc:nameduseritem` → `['itemsvc', 'nameduseritem']`; there are some twenty of them. */
export function partsOf(type: ResourceType): readonly [service: string, type: string] {
  const known = types.get(type);
  if (known !== undefined) return known;
  const [service = '', name = ''] = type.split(':');
  types.set(type, [service, name]);
  return [service, name];
}
