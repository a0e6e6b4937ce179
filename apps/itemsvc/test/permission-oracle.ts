import type { GrantableAction, ResourceCriteria } from '@twinyard/conventions';
import type { Json } from './item-service';

/** A grant as the spec gives it to one caller. */
export interface GivenGrant {
  readonly actions: readonly GrantableAction[];
  readonly irn: string;
  readonly criteria?: ResourceCriteria;
  /** Fields of related items with their values. */
  readonly part?: Readonly<Record<string, unknown>>;
}

/** Collections with their related items and what hangs on these, as they were made. */
export interface World {
  readonly collections: readonly { readonly item: Json; readonly rows: readonly Json[] }[];
  /** Pairs of ids, from and to. */
  readonly relations: readonly { readonly from: string; readonly to: string }[];
}

/** What a caller may READ, told by looking at everything with loops: the judge of what the service asks of its store. */
export class Oracle {
  constructor(
    private readonly world: World,
    private readonly grants: readonly GivenGrant[],
    readonly scopes: readonly string[],
  ) {}

  isWhole(item: Json): boolean {
    return this.reading.some((grant) => {
      const id = grant.irn.split(':')[2];
      if (grant.part !== undefined || (id !== '*' && id !== item._id)) return false;
      const { _itemClass = item._itemClass, _userType = item._userType } = grant.criteria ?? {};
      return _itemClass === item._itemClass && _userType === item._userType;
    });
  }

  mayRead(item: Json, row: Json): boolean {
    return this.isWhole(item) || this.partsOf(item).some((part) => Object.entries(part).every(([field, value]) => [row[field]].flat().includes(value)));
  }

  /** Whether requests about the related items of a collection are answered at all. */
  reaches(item: Json): boolean {
    return this.isWhole(item) || this.partsOf(item).length > 0;
  }

  rows(item: Json): Json[] {
    return this.world.collections.filter((one) => one.item._id === item._id).flatMap(({ rows }) => rows).filter((row) => this.mayRead(item, row));
  }

  get readableIds(): ReadonlySet<string> {
    return new Set(this.world.collections.flatMap(({ item }) => this.rows(item)).map(({ _id }) => _id as string));
  }

  /** Of those with both ends in reach: from one end to the items of another collection. */
  related(fromId: string, to: Json, inverse = false): string[] {
    const others = new Set(this.rows(to).map(({ _id }) => _id as string));
    const pairs = this.visible.map(({ from, to: target }) => (inverse ? { own: target, other: from } : { own: from, other: target }));
    return pairs.filter(({ own, other }) => own === fromId && others.has(other)).map(({ other }) => other).sort();
  }

  get visible(): { readonly from: string; readonly to: string }[] {
    const ids = this.readableIds;
    return this.world.relations.filter(({ from, to }) => ids.has(from) && ids.has(to));
  }

  private partsOf(item: Json): Readonly<Record<string, unknown>>[] {
    return this.reading.filter(({ irn }) => irn.endsWith(`:${item._id}`)).flatMap(({ part }) => (part === undefined ? [] : [part]));
  }

  private get reading(): readonly GivenGrant[] {
    return this.scopes.includes('read') ? this.grants.filter(({ actions }) => actions.includes('READ') || actions.includes('*')) : [];
  }
}

/** A small generator with a seed, so that a failure can be had again. */
export class Dice {
  constructor(private seed: number) {}

  below(limit: number): number {
    this.seed = (Math.imul(this.seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.seed / 2 ** 32) * limit);
  }

  oneOf<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

/** A set of grants of all kinds, none among them. */
export function throwGrants(dice: Dice, world: World): GivenGrant[] {
  const kinds: (() => GivenGrant)[] = [
    () => ({ actions: ['READ'], irn: 'itemsvc:nameduseritem:*', criteria: { _userType: dice.oneOf(world.collections).item._userType as string } }),
    () => ({ actions: ['READ'], irn: 'itemsvc:nameduseritem:*', criteria: { _itemClass: 'NamedTelemetryCollection' } }),
    () => ({ actions: ['READ', 'EDIT'], irn: `itemsvc:nameduseritem:${dice.oneOf(world.collections).item._id}` }),
    () => ({ actions: [dice.oneOf(['EDIT', 'CREATE', 'DELETE'] as const)], irn: 'itemsvc:nameduseritem:*' }),
    ...[1, 2, 3, 4].map(() => () => partGrant(dice, world)),
  ];
  const grants = Array.from({ length: dice.below(5) }, () => dice.oneOf(kinds)());
  return dice.below(12) === 0 ? [...grants, { actions: ['*'], irn: 'itemsvc:*:*' }] : grants;
}

function partGrant(dice: Dice, world: World): GivenGrant {
  const { item } = dice.oneOf(world.collections);
  const part = dice.oneOf([{ floor: dice.below(3) }, { floor: dice.below(3), room: dice.oneOf(['a', 'b']) }, { tags: dice.oneOf(['x', 'y']) }, { nowhere: 1 }]);
  return { actions: [dice.oneOf(['READ', 'READ', 'READ', '*', 'EDIT'] as const)], irn: `itemsvc:nameduseritem:${item._id}`, part };
}
