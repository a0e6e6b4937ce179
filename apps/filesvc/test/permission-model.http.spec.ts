import { FILES, type FileBody, FilesvcUnderTest, NS, OTHER } from './filesvc-under-test';
import { Choice, randomFrom } from './random-changes';

/** More runs are asked for by a number; a seed repeats what was found. */
const RUNS = Number(process.env['PERMISSION_RUNS'] ?? 2);
const SEED = Number(process.env['PERMISSION_SEED'] ?? Math.floor(Math.random() * 2 ** 32));
const READERS = ['ann', 'ben', 'cleo'];

interface Node {
  readonly record: FileBody;
  readonly namespaces: readonly string[];
  parent: Node | undefined;
}

type FilePage = Awaited<ReturnType<FilesvcUnderTest['list']>>;

interface Grant {
  readonly subject: string;
  readonly namespace: string;
  /** Nothing: all of the namespace. */
  readonly node: Node | undefined;
}

const lineOf = (node: Node): Node[] => [node, ...(node.parent === undefined ? [] : lineOf(node.parent))];

/** What contract 0.4 says, in four lines: a grant holds in its namespace, for all, or for what it names and everything under it. */
function mayRead(grants: readonly Grant[], subject: string, node: Node, nsfilter: readonly string[]): boolean {
  const concerning = grants.filter((grant) => grant.subject === subject && nsfilter.includes(grant.namespace) && node.namespaces.includes(grant.namespace));
  return concerning.some((grant) => grant.node === undefined || lineOf(node).includes(grant.node));
}

describe('who may read what, in trees, grants and moves at random', () => {
  let one: FilesvcUnderTest;
  let other: FilesvcUnderTest;
  beforeAll(async () => {
    one = await FilesvcUnderTest.start();
    other = await one.replica();
    for (const namespace of [NS, OTHER]) await one.passport.grant('maker', namespace, ['*']);
    await one.signIn('maker', ...READERS);
  });
  afterAll(() => one?.stop());

  const choice = new Choice(randomFrom(SEED));
  const both = { nsfilter: [NS, OTHER] };

  async function grow(run: number): Promise<Node[]> {
    const nodes: Node[] = [];
    for (let index = 0; index < 12; index += 1) {
      const folders = nodes.filter(({ record }) => record['_type'] === 'dir');
      const parent = choice.random() < 0.25 ? undefined : choice.of([undefined, ...folders]);
      const namespaces = parent?.namespaces ?? choice.of([[NS], [NS], [OTHER], [NS, OTHER]]);
      const query = { ...both, _namespaces: namespaces, ...(parent && { _parents: parent.record._id }) };
      const name = `run ${run} node ${index}`;
      const record = choice.random() < 0.55
        ? ((await one.as('maker', 'post', FILES, { ...query, _name: name }).expect(200)).body as FileBody)
        : await one.upload(name, 'x', query, 'maker');
      nodes.push({ record, namespaces, parent });
    }
    return nodes;
  }

  async function grantSome(nodes: readonly Node[]): Promise<Grant[]> {
    const grants = Array.from({ length: 7 }, (): Grant => ({ subject: choice.of(READERS), namespace: choice.of([NS, NS, OTHER]), node: choice.random() < 0.1 ? undefined : choice.of(nodes) }));
    for (const { subject, namespace, node } of grants) await one.passport.grant(subject, namespace, ['READ'], `filesvc:file:${node?.record._id ?? '*'}`);
    return grants;
  }

  /** Where it may go by the rules; nothing, when that is nowhere. */
  async function move(nodes: readonly Node[]): Promise<void> {
    const node = choice.of(nodes);
    const targets = nodes.filter((target) => target.record['_type'] === 'dir' && !lineOf(target).includes(node) && node.namespaces.every((namespace) => target.namespaces.includes(namespace)));
    const target = choice.of([undefined, ...targets]);
    await choice.of([one, other]).as('maker', 'put', `${FILES}/${node.record._id}`, both).send({ _name: node.record._name, _parents: target === undefined ? [] : [target.record._id] }).expect(200);
    node.parent = target;
  }

  async function answersTo(subject: string, nodes: readonly Node[], nsfilter: readonly string[]): Promise<object> {
    const from = choice.of([one, other]);
    const ask = async (path: string) => (await from.as(subject, 'get', `${FILES}/${path}`, { nsfilter })).status;
    const [listed, matched, root] = await Promise.all([{ _pageSize: 200 }, { _name: 'no[d]e', _pageSize: 0 }, { _parents: 'root' }].map((query) => from.list({ nsfilter, ...query }, subject))) as [FilePage, FilePage, FilePage];
    const some = Array.from({ length: 2 }, () => choice.of(nodes));
    return {
      listed: listed._list.map(({ _name }) => _name), total: listed._total, matched: matched._total, root: root._list.map(({ _name }) => _name),
      one: await Promise.all(some.map(async ({ record }) => [record._name, await ask(record._id), await ask(`${record._id}/versions`), await ask(`${record._id}/url`), await ask(`${record._id}/children`)])),
      asked: some,
    };
  }

  function expectedOf(asked: readonly Node[], readable: readonly Node[]): object {
    const named = readable.map(({ record }) => record._name);
    const statusOf = (node: Node, readableStatus: number) => (readable.includes(node) ? readableStatus : 404);
    return {
      listed: named, total: named.length, matched: named.length, root: readable.filter(({ parent }) => parent === undefined).map(({ record }) => record._name),
      one: asked.map((node) => {
        const isFolder = node.record['_type'] === 'dir';
        return [node.record._name, statusOf(node, 200), statusOf(node, 200), statusOf(node, isFolder ? 404 : 200), statusOf(node, isFolder ? 200 : 400)];
      }),
      asked,
    };
  }

  it(`is as a model of four lines says, in lists, totals, records and addresses, on two replicas (PERMISSION_SEED=${SEED})`, async () => {
    const seen = { readable: 0, hidden: 0 };
    for (let run = 0; run < RUNS; run += 1) {
      const nodes = await grow(run);
      const grants = await grantSome(nodes);
      for (let step = 0; step < 3; step += 1) {
        for (const subject of READERS) {
          const nsfilter = choice.of([[NS], [OTHER], [NS, OTHER]]);
          const readable = nodes.filter((node) => mayRead(grants, subject, node, nsfilter));
          const answers = (await answersTo(subject, nodes, nsfilter)) as { asked: Node[] };
          expect({ run, step, subject, ...answers }).toEqual({ run, step, subject, ...expectedOf(answers.asked, readable) });
          seen.readable += readable.length;
          seen.hidden += nodes.length - readable.length;
        }
        await move(nodes);
      }
      for (const subject of READERS) await one.passport.revokeAll(subject);
      await one.as('maker', 'delete', FILES, both).send(nodes.map(({ record }) => record._id)).expect(204);
    }
    expect(Math.min(seen.readable, seen.hidden)).toBeGreaterThan(RUNS);
  }, 180_000 + RUNS * 30_000);
});
