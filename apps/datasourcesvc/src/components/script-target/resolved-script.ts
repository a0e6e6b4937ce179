import { invalid } from '@twinyard/conventions';
import type { ItemRecord } from '../../platform-client/item-records';
import type { ItemsClient } from '../../platform-client/items-client';
import { importsOf, SCRIPT_SCHEME, type ScriptImport } from './imports-of';

/** A version of a Script item, as it is imported. */
export interface ScriptModule {
  /** `script:<userType>` */
  readonly specifier: string;
  readonly item: Pick<ItemRecord, '_id' | '_userItemId' | '_name'>;
  readonly version: number;
  readonly source: string;
}

/** A script and what it imports, each once. */
export interface ResolvedScript {
  readonly main: ScriptModule;
  readonly imported: readonly ScriptModule[];
}

const MOST_MODULES = 50;
const MOST_BYTES = 5 * 1024 * 1024;
const AT_ONCE = 8;

/** The latest of each, as far as the run may read them. @throws ServiceError `invalid` for one that is not there, and for too many */
export async function resolveScript(items: Pick<ItemsClient, 'findScript'>, userType: string): Promise<ResolvedScript> {
  const main = await findModule(items, userType);
  if (main === undefined) throw invalid(`There is no Script of the user type ${JSON.stringify(userType)} that the run may read`);
  const modules = new Map<string, ScriptModule>([[userType, main]]);
  let [level, bytes]: [readonly ScriptModule[], number] = [[main], 0];
  while (level.length > 0) {
    bytes += level.reduce((sum, { source }) => sum + Buffer.byteLength(source), 0);
    if (bytes > MOST_BYTES) throw invalid(`The script and what it imports have more than ${MOST_BYTES} bytes`);
    level = await nextLevel(items, level, modules, main);
  }
  return { main, imported: [...modules.values()].filter((module) => module !== main) };
}

interface Wanted extends ScriptImport {
  readonly by: ScriptModule;
}

/** What these import and nobody has imported before; `modules` gets it. */
async function nextLevel(items: Pick<ItemsClient, 'findScript'>, level: readonly ScriptModule[], modules: Map<string, ScriptModule>, main: ScriptModule): Promise<ScriptModule[]> {
  const imports = (await Promise.all(level.map(async (by) => (await importsOf(by.source)).map((one): Wanted => ({ ...one, by }))))).flat();
  // One that is imported both ways has to be there.
  const wanted = new Map([...imports].sort((one, other) => Number(other.isDynamic) - Number(one.isDynamic)).map((one) => [one.userType, one]));
  for (const userType of modules.keys()) wanted.delete(userType);
  if (modules.size + wanted.size > MOST_MODULES) throw invalid(`The script imports more than ${MOST_MODULES - 1} others`);
  const found: ScriptModule[] = [];
  const left = [...wanted.values()];
  while (left.length > 0) found.push(...(await Promise.all(left.splice(0, AT_ONCE).map((one) => imported(items, one, main)))).flat());
  for (const module of found) modules.set(module.specifier.slice(SCRIPT_SCHEME.length), module);
  return found;
}

/** One that may never be asked for may be missing. */
async function imported(items: Pick<ItemsClient, 'findScript'>, { userType, line, isDynamic, by }: Wanted, main: ScriptModule): Promise<ScriptModule[]> {
  const module = await findModule(items, userType);
  if (module !== undefined) return [module];
  if (isDynamic) return [];
  throw invalid(`There is no Script of the user type ${JSON.stringify(userType)} that the run may read (${by === main ? '' : `${by.specifier}, `}line ${line})`);
}

async function findModule(items: Pick<ItemsClient, 'findScript'>, userType: string): Promise<ScriptModule | undefined> {
  const item = userType === '' ? undefined : await items.findScript(userType);
  const tip = item?._versions[0];
  return item && tip && { specifier: SCRIPT_SCHEME + userType, item, version: tip._version, source: sourceOf(tip._userData) };
}

/** As `script.js` of itemsvc: texts as they are, other user data as JSON. */
const sourceOf = (data: unknown): string => (typeof data === 'string' ? data : (JSON.stringify(data) ?? ''));
