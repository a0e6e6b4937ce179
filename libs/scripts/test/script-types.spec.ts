import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ScriptRunner, scriptTypes } from '../src';
import { FakePlatform, json, NOW } from './fake-platform';

const TYPES = ['script-types.d.ts', 'script-libraries.d.ts'].map((name) => join(__dirname, '../src/platform', name));
const EXAMPLE = join(__dirname, 'example-script.mjs');

/** What `tsc --strict` says of these files. */
function faultsOf(files: readonly string[], written: Readonly<Record<string, string>> = {}): string[] {
  const options: ts.CompilerOptions = {
    strict: true, noEmit: true, allowJs: true, checkJs: true, types: [], target: ts.ScriptTarget.ES2023, lib: ['lib.es2023.d.ts'], module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...more) => {
    const text = written[name];
    return text === undefined ? read(name, ...more) : ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true);
  };
  host.fileExists = ((exists) => (name: string) => name in written || exists(name))(host.fileExists.bind(host));
  const program = ts.createProgram({ rootNames: [...files, ...Object.keys(written)], options, host });
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => `${file?.fileName}:${(file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
}

const textOfTypes = () => TYPES.map((file) => readFileSync(file, 'utf8')).join('\n');

/** Names of what each interface declares itself. */
function declaredMembers(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const source = ts.createSourceFile('types.d.ts', textOfTypes(), ts.ScriptTarget.ES2023, true);
  const visit = (node: ts.Node): void => {
    if (ts.isInterfaceDeclaration(node)) {
      const names = node.members.flatMap(({ name }) => (name === undefined ? [] : [name.getText(source)]));
      found.set(node.name.text, [...new Set(names)].sort());
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

describe('the declarations of what scripts are given', () => {
  let runner: ScriptRunner;
  let platform: FakePlatform;
  beforeAll(() => {
    runner = new ScriptRunner({ threads: 1 });
    platform = new FakePlatform(() => runner);
  });
  afterAll(() => runner.close());
  beforeEach(() => platform.reset());

  it('are the files that are told to everybody, as one', () => {
    expect(scriptTypes()).toBe(textOfTypes());
    expect(faultsOf([], { '/script-types.d.ts': scriptTypes() })).toEqual([]);
  });

  it('compile strictly with a real script, and without one', () => {
    expect(faultsOf(TYPES)).toEqual([]);
    expect(faultsOf([...TYPES, EXAMPLE])).toEqual([]);
  });

  it('let nothing through that is not there', () => {
    const script = (body: string) => `export default (async (input, { platform, dates, csv, xlsx }, ctx) => { ${body} }) satisfies Twinyard.Script;`;
    const wrong = ['platform.nothing;', 'await platform.request("FETCH", "/itemsvc/api/v1/x");', 'await platform.request("GET", "itemsvc/api/v1/x");', 'ctx.log("loud", "x");', 'ctx.runId = "x";', 'setTimeout(() => 1, 1);', 'process.exit();', 'fetch("x");',
      'dates.startOf(ctx.now, "decade");', 'await platform.items.create({ _name: "a" });', 'await platform.items.related("x").update([{ name: "without an id" }]);', 'const text: string = await platform.items.findOne();', 'require("fs");',
      'await csv.write("a.csv", "a text");', 'csv.rows("f", { sheet: "S" });', 'await xlsx.write("a.xlsx", [], { delimiter: ";" });', 'for await (const row of csv.rows("f", { header: false })) row.name.trim();', 'await xlsx.parse("x");'];
    const faults = faultsOf(TYPES, Object.fromEntries(wrong.map((body, index) => [`/wrong${index}.ts`, script(body)])));
    expect(wrong.filter((_, index) => !faults.some((fault) => fault.startsWith(`/wrong${index}.ts:`)))).toEqual([]);
    const right = 'const rooms = platform.items.related<{ name: string }>("rooms"); for await (const { _id, name } of rooms.list()) await rooms.update({ _id, name: name.trim() }); await rooms.bulk([{ name: "new" }]); return (await platform.files.json<{ a: number }>("f")).a + 1;';
    const tables = 'const rows = csv.rows<{ n: number }>("f", { delimiter: ";" }); await xlsx.write("b.xlsx", rows, { columns: ["n"] }); for await (const [first] of xlsx.rows("b", { header: false })) ctx.log("info", first); return (await csv.parse(await csv.stringify([[1]]), { header: false }))[0]?.[0];';
    for (const body of [right, tables]) expect(faultsOf(TYPES, { '/script.ts': script(body) })).toEqual([]);
  });

  it('name every member that a script is given, and no other', async () => {
    const members = await platform.result(`
      const of = (value) => [...Object.keys(value), ...Object.getOwnPropertySymbols(value).map(({ description }) => '[' + description + ']')].sort();
      const libraries = { platform, dates, csv, xlsx };
      return {
        Input: of(input), Libraries: of(libraries), Context: of(ctx), Signal: of(ctx.signal), Platform: of(platform), Items: of(platform.items), RelatedItems: of(platform.items.related('x')), Readings: of(platform.readings),
        Files: of(platform.files), Runs: of(platform.runs), Workspaces: of(platform.workspaces), Dates: of(dates), Csv: of(csv), Xlsx: of(xlsx), Zone: of(await dates.zone('UTC')), List: of(platform.items.find()), Console: of(console),
        Answer: of(await platform.request('GET', '/itemsvc/api/v1/x')),
      };`, { orchRunId: 'r', actualParams: {}, inparams: null }) as Record<string, string[]>;
    const declared = declaredMembers();
    expect(Object.keys(members).length).toBeGreaterThan(10);
    for (const [name, given] of Object.entries(members)) expect({ name, members: given }).toEqual({ name, members: declared.get(name) });
  });

  it('belong to a script that runs', async () => {
    platform.answering = async ({ method }, { pathname, searchParams }) => {
      if (pathname.endsWith('/meters/relateditems')) return json({ _list: [{ _id: 'm1', name: 'a', storey: 'EG' }, { _id: 'm2', name: 'b', storey: 'EG' }, { _id: 'm3', name: 'c', storey: 'OG' }], _total: 3, _offset: 0, _pageSize: Number(searchParams.get('_pageSize')) });
      if (pathname.endsWith('/readings/aggregate')) return json({ _list: [{ _id: null, joules: 3_600_000 }] });
      expect([method, pathname]).toEqual(['POST', '/itemsvc/api/v1/nameduseritems/results/relateditems/bulk']);
      return json({}, 201);
    };
    const modules = { 'script:units': 'export const toKilowattHours = (joules) => joules / 3.6e6;' };
    const input = { orchRunId: 'r', actualParams: { meters: 'meters', results: 'results', timezone: 'Europe/Zurich' }, inparams: null };
    const outcome = await platform.run(readFileSync(EXAMPLE, 'utf8'), input, { name: 'script:energy', modules });
    expect(outcome).toMatchObject({ kind: 'returned', result: { EG: 2, OG: 1 }, console: [{ level: 'info', text: 'Energy of 2 storeys {"day":"2024-03-30"}' }], underWay: 0 });
    expect(new Date(NOW).toISOString()).toBe('2024-03-31T12:00:00.000Z');
    expect(platform.bodyOf(1)).toMatchObject([{ $match: { _ts: { $gte: '2024-03-29T23:00:00.000Z', $lt: '2024-03-30T23:00:00.000Z' } } }, expect.anything()]);
    expect(platform.bodyOf(4)).toMatchObject([{ storey: 'EG', day: '2024-03-30', kwh: 2 }, { storey: 'OG', day: '2024-03-30', kwh: 1 }]);
    expect(platform.progress).toEqual([[1, undefined], [2, undefined], [3, undefined]]);
  });
});
