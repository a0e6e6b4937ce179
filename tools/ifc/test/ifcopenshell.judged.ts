import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { isAtHand } from '@twinyard/testing/shared-data';
import { repositoryRoot } from '../../checks/repository/repository';
import { judgedIn } from '../../judges/test/judged';
import { alteredCopies } from './altered-copies';

const SUITE = 'IFC files, judged by IfcOpenShell';
const ROOT = repositoryRoot();
/** A model, and how many altered copies of it are judged: a large one takes seconds. */
const MODELS: readonly (readonly [path: string, copies: number])[] = [['tools/sample/sample-building.ifc', 200], ['../shared/data/duplex.ifc', 4], ['../shared/data/office-a.ifc', 2]];
const TIMES = Number(process.env.IFC_COPIES_TIMES ?? 1);

/** Of a product: what both can tell. */
interface Judged {
  readonly ifcClass: string;
  readonly name: string | null;
  /** Set, name and value of single values; no value where it is none of a text, a number and a truth value. */
  readonly properties: readonly (readonly [set: string | null, name: string, value: unknown])[];
}
type Products = Readonly<Record<string, Judged>>;

interface Element {
  readonly sourceId: string;
  readonly ifcClass: string;
  readonly name: string;
  readonly properties: Readonly<Record<string, { readonly psDispName: string; readonly dName: string; readonly val: unknown; readonly type: string }>>;
}
interface Model {
  readonly elements: readonly Element[];
  readonly report: { readonly faults: readonly unknown[] };
}

/** Of the service, whose code is not a library of the tools. */
const reader = () => import(join(ROOT, 'apps', 'datasourcesvc', 'src', 'ifc', 'read-ifc')) as Promise<{ readonly readIfc: (bytes: Uint8Array) => Promise<Model> }>;

describe(SUITE, () => {
  const judged = judgedIn(SUITE);
  let folder: string;

  beforeAll(async () => { folder = await mkdtemp(join(tmpdir(), 'twinyard-ifc-')); });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** What IfcOpenShell makes of each of these files; `null` of one that it does not read. */
  async function judge(python: string, files: readonly string[]): Promise<(Products | null)[]> {
    const judge = spawn(python, [join(ROOT, 'tools', 'ifc', 'test', 'model_of.py')], { stdio: ['pipe', 'pipe', 'ignore'] });
    judge.stdin.end(files.join('\n'));
    const verdicts: (Products | null)[] = [];
    for await (const line of createInterface({ input: judge.stdout })) verdicts.push(JSON.parse(line) as Products | null);
    return verdicts;
  }

  for (const [path, copies] of MODELS) {
    const test = isAtHand(path, ROOT) ? judged : (name: string) => it.skip(name, () => undefined);
    test(`find nothing in ${basename(path)} and its altered copies that is neither in our model nor in the log`, async ({ python }) => {
      const { readIfc } = await reader();
      const text = await readFile(join(ROOT, path), 'utf8');
      const texts = [text, ...alteredCopies(text, Math.ceil(copies * TIMES))];
      const files = texts.map((_, index) => join(folder, `${index}.ifc`));
      for (const [index, file] of files.entries()) await writeFile(file, texts[index] as string);
      const verdicts = await judge(python, files);
      expect(verdicts).toHaveLength(files.length);
      const silent: unknown[] = [];
      for (const [index, verdict] of verdicts.entries()) {
        const ours = await readIfc(Buffer.from(texts[index] as string)).catch((error: Error) => error);
        if (verdict === null || ours instanceof Error || (index > 0 && ours.report.faults.length > 0)) continue;
        const missing = differences(verdict, ours);
        if (missing.length > 0) silent.push({ index, missing: missing.slice(0, 3) });
      }
      expect(silent).toEqual([]);
      expect(Object.keys(verdicts[0] ?? {}).length).toBeGreaterThan(20);
      expect(verdicts.filter((verdict) => verdict !== null).length).toBeGreaterThan(files.length / 2);
    });
  }
});

/** What the judge has and we have not, or otherwise. */
function differences(verdict: Products, { elements }: Model): string[] {
  const ours = new Map(elements.map((element) => [element.sourceId, element]));
  return Object.entries(verdict).flatMap(([id, product]) => {
    const element = ours.get(id);
    if (element === undefined) return [`${id} is missing`];
    if (element.ifcClass !== product.ifcClass || element.name !== (product.name ?? '')) return [`${id} is ${element.ifcClass} ${element.name}, not ${product.ifcClass} ${product.name}`];
    return product.properties.filter((property) => !hasProperty(element, property)).map((property) => `${id} has no ${JSON.stringify(property)}`);
  });
}

function hasProperty({ properties }: Element, [set, name, value]: Judged['properties'][number]): boolean {
  const named = Object.values(properties).filter(({ psDispName, dName }) => dName === name && (set === null || psDispName === set));
  return named.some(({ val, type }) => value === null || type === 'logical' || val === value);
}
