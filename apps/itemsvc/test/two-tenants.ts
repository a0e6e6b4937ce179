import { ItemService, type Json, OTHER_NS } from './item-service';

export const MALLORY = { as: 'mallory', nsfilter: OTHER_NS } as const;
export const related = (item: Json) => `nameduseritems/${item._id}/relateditems`;

/** One tenant does its worst, in ways that hold what the service has; another works beside it. */
export class TwoTenants {
  /** Collections of the one and of the other. */
  mine!: Json;
  theirs!: Json;
  private one!: Json;

  private constructor(readonly items: ItemService) {}

  static async start(): Promise<TwoTenants> {
    const tenants = new TwoTenants(await ItemService.start({ REQUEST_WAIT_SECONDS: '600' }));
    tenants.mine = await tenants.items.item('NamedUserCollection');
    [tenants.one] = (await tenants.items.related(tenants.mine, [{ name: 'one' }])) as [Json];
    return tenants;
  }

  async renew(): Promise<void> {
    this.theirs = await this.items.item('NamedUserCollection', {}, 'mallory', OTHER_NS);
  }

  /** Simple requests of the one are answered. */
  async expectProgress(): Promise<void> {
    const { items, mine, one } = this;
    for (let n = 0; n < 10; n += 1) {
      expect((await items.get(`${related(mine)}/${one._id}`)).status).toBe(200);
      expect((await items.get(related(mine), { query: { query: { name: 'one' } } })).body._total).toBe(1);
    }
    expect((await items.post(related(mine), [{ name: 'another' }])).status).toBe(201);
    await items.delete(`${related(mine)}/bulk`, { query: { query: { name: 'another' } } });
  }
}
