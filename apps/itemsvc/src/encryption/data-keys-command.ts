import { type DataKeyRotation, type DataKeys, parseNamespaces, type Rotated } from '@twinyard/envelope';

export const USAGE = `The keys of encrypted properties, while itemsvc runs.

  data-keys rotate [--namespace <namespace>]…  gives namespaces (without any: all that have one) a new data key, encrypts under it what is encrypted there
                                               and removes the old one; stopped half way, it goes on where it was when it is run again
  data-keys reseal                             wraps the data keys anew under KEY_ENCRYPTION_KEY, when that has been replaced; says 0 when nothing is left
`;

export const FAILED = 1;
export const MISUSED = 2;

const STEP = 500;

export interface DataKeyTools {
  readonly keys: DataKeys;
  readonly rotation: Pick<DataKeyRotation<never>, 'rotate'>;
}

/** Runs the command; resolves with its exit code. */
export async function runDataKeysCommand([verb, ...args]: readonly string[], tools: DataKeyTools, print: (line: string) => void): Promise<number> {
  const named = parseNamespaces(args);
  if (verb === 'reseal' && args.length === 0) {
    print(`${await tools.keys.rewrap()} data keys wrapped anew`);
    return 0;
  }
  if (verb === 'rotate' && named !== undefined) return rotate(named.length > 0 ? named : await namespacesOf(tools.keys), tools, print);
  print(USAGE);
  return MISUSED;
}

async function rotate(namespaces: readonly string[], { rotation }: DataKeyTools, print: (line: string) => void): Promise<number> {
  let code = 0;
  for (const namespace of namespaces) {
    try {
      const rotated = await rotation.rotate(namespace);
      if (rotated === undefined) code = FAILED;
      print(rotated === undefined ? `${namespace}: has no data key: nothing was ever encrypted there` : toLine(rotated));
    } catch (error) {
      code = FAILED;
      print(`${namespace}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return code;
}

async function namespacesOf({ store }: DataKeys): Promise<string[]> {
  const found = new Set<string>();
  for (let after: string | undefined; ;) {
    const step = await store.list(after, STEP);
    for (const { namespace } of step) found.add(namespace);
    if (step.length < STEP) return [...found].sort();
    after = step.at(-1)?.id;
  }
}

const toLine = ({ namespace, version, resealed, removed, resumed }: Rotated) =>
  `${namespace}: ${resealed} records encrypted anew under data key ${version}, ${removed} old keys removed${resumed ? ' (an earlier rotation was finished; run it again for a new key)' : ''}`;
