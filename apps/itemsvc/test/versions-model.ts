import fc from 'fast-check';
import type { ItemService, Json } from './item-service';

/** What the states table of the specification says of an item's versions, and nothing more. */
export interface VersionsModel {
  versions: { readonly number: number; content: Json; items: number }[];
  next: number;
}

interface Real {
  readonly items: ItemService;
  readonly item: Json;
}

type Command = fc.AsyncCommand<VersionsModel, Real>;

const pathOf = ({ item }: Real) => `nameduseritems/${item._id}`;
const recordsOf = async (real: Real): Promise<Json[]> => (await real.items.get(`${pathOf(real)}/versions`, { query: { sort: { _version: 1 } } })).body._list as Json[];
const numbersOf = ({ versions }: VersionsModel) => versions.map(({ number }) => number);
const at = <T>(list: readonly T[], pick: number): T => list[pick % list.length] as T;

/** The whole state as every read shows it: the item, its history, the list of versions, and what each version holds. */
export async function expectState(model: VersionsModel, real: Real): Promise<void> {
  const tip = model.versions.at(-1);
  const { body: item } = await real.items.get(pathOf(real));
  const { body: history } = await real.items.get(pathOf(real), { query: { '_versions.all': 'true' } });
  const records = await recordsOf(real);
  expect({ tip: item._tipVersion, next: item._nextVersion, count: item._versionsCount, shown: item._versions.map(({ _version }: Json) => _version) })
    .toEqual({ tip: tip?.number, next: model.next, count: model.versions.length, shown: [tip?.number] });
  for (const list of [history._versions as Json[], records]) {
    expect(list.map(({ _version, _isTip, _userData, _userAttributes }) => ({ _version, _isTip, _userData, _userAttributes })))
      .toEqual(model.versions.map(({ number, content }) => ({ _version: number, _isTip: number === tip?.number, _userData: content._userData, _userAttributes: content._userAttributes })));
  }
  expect(item._tipId).toBe(records.at(-1)?._id);
  const totals = await Promise.all(records.map(async ({ _id }) => (await real.items.get(`${pathOf(real)}/relateditems`, { query: { userItemVersionId: _id as string, _pageSize: '0' } })).body._total as number));
  expect(totals).toEqual(model.versions.map(({ items }) => items));
  expect((await real.items.get(`${pathOf(real)}/relateditems`, { query: { _pageSize: '0' } })).body._total).toBe(tip?.items);
}

abstract class Step implements Command {
  constructor(readonly pick: number, readonly content: Json) {}

  check(): boolean {
    return true;
  }

  async run(model: VersionsModel, real: Real): Promise<void> {
    await this.take(model, real);
    await expectState(model, real);
  }

  protected abstract take(model: VersionsModel, real: Real): Promise<void>;

  toString(): string {
    return `${this.constructor.name}(${this.pick}, ${JSON.stringify(this.content)})`;
  }
}

/** "any version set, POST versions: the new version is tip, with the previous `_nextVersion`"; half of the time a whole old record is sent. */
class Create extends Step {
  protected async take(model: VersionsModel, real: Real): Promise<void> {
    const old = this.pick % 2 === 0 ? at(await recordsOf(real), this.pick) : {};
    const { status, body } = await real.items.post(`${pathOf(real)}/versions`, { ...old, ...this.content });
    const { _userData, _userAttributes } = { ...old, ...this.content };
    expect([status, body._version, body._isTip]).toEqual([201, model.next, true]);
    model.versions.push({ number: model.next, content: { _userData, _userAttributes }, items: 0 });
    model.next += 1;
  }
}

/** A change touches the content alone, also when the record of another version is sent back whole. */
class Change extends Step {
  protected async take(model: VersionsModel, real: Real): Promise<void> {
    const records = await recordsOf(real);
    const [wanted, other] = [at(records, this.pick), at(records, this.pick + 1)];
    const sent = { ...other, _version: 99, _isTip: this.pick % 3 === 0, _id: 'another', ...this.content };
    const { status, body } = await real.items.put(`${pathOf(real)}/versions/${wanted._id}`, sent);
    expect([status, body._id, body._version]).toEqual([201, wanted._id, wanted._version]);
    const changed = at(model.versions, this.pick);
    const stays = ({ _userData, _userAttributes }: Json) => ({ ...(_userData !== undefined && { _userData }), ...(_userAttributes !== undefined && { _userAttributes }) });
    changed.content = { ...changed.content, ...stays(sent) };
  }
}

/** "tip version, DELETE: the previous becomes tip"; "only version: refused". */
class Delete extends Step {
  protected async take(model: VersionsModel, real: Real): Promise<void> {
    const records = await recordsOf(real);
    const gone = this.pick % 2 === 0 ? (records.at(-1) as Json) : at(records, this.pick);
    const { status } = await real.items.delete(`${pathOf(real)}/versions/${gone._id}`);
    expect(status).toBe(model.versions.length === 1 ? 400 : 204);
    if (model.versions.length > 1) model.versions.splice(numbersOf(model).indexOf(gone._version as number), 1);
  }
}

/** Old versions stay writable by their id; without one the tip is meant. */
class AddItems extends Step {
  protected async take(model: VersionsModel, real: Real): Promise<void> {
    const version = at(await recordsOf(real), this.pick);
    const isTip = version._isTip === true && this.pick % 2 === 0;
    const { status } = await real.items.post(`${pathOf(real)}/relateditems`, [{ n: this.pick }, { n: 0 }], { query: isTip ? {} : { userItemVersionId: version._id as string } });
    expect(status).toBe(201);
    at(model.versions, this.pick).items += 2;
  }
}

const content = fc.record({ _userData: fc.constantFrom<unknown>('a', 0, false, { b: 'ü' }, [1, null]), _userAttributes: fc.constantFrom({}, { state: 'old' }, { 'a b': [1] }) }, { requiredKeys: [] });
const step = (type: new (pick: number, content: Json) => Step) => fc.tuple(fc.nat({ max: 30 }), content).map(([pick, sent]) => new type(pick, sent));

export const versionCommands = fc.commands(
  [step(Create), step(Create), step(Create), step(Delete), step(Delete), step(Change), step(AddItems)], { maxCommands: 12, size: 'max' },
);
