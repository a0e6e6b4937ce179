import { type DataKeyRotation, parseNamespaces, type Rotated } from '@twinyard/envelope';
import type { SqlTx } from '@twinyard/service-kit';

export const USAGE = `The secrets of namespaces, while passportsvc runs.

  secrets rotate [--namespace <namespace>]…  gives namespaces (without any: all that have one) a new data key, seals their secrets under it and
                                             removes the old one; stopped half way, it goes on where it was when it is run again
`;

export const FAILED = 1;
export const MISUSED = 2;

interface Namespaces {
  namespacesWithKeys(): Promise<string[]>;
}

/** Runs the command; resolves with its exit code. */
export async function runSecretsCommand([verb, ...args]: readonly string[], rotation: DataKeyRotation<SqlTx>, known: Namespaces, print: (line: string) => void): Promise<number> {
  const named = parseNamespaces(args);
  if (verb !== 'rotate' || named === undefined) {
    print(USAGE);
    return MISUSED;
  }
  let code = 0;
  for (const namespace of named.length > 0 ? named : await known.namespacesWithKeys()) {
    const line = await rotation.rotate(namespace).then((rotated) => (rotated === undefined ? undefined : toLine(rotated)), (error: unknown) => ({ failure: messageOf(error) }));
    if (typeof line !== 'string') code = FAILED;
    print(typeof line === 'string' ? line : `${namespace}: ${line?.failure ?? 'has no data key: nothing was ever sealed there'}`);
  }
  return code;
}

const toLine = ({ namespace, version, resealed, removed, resumed }: Rotated) =>
  `${namespace}: ${resealed} secrets sealed anew under data key ${version}, ${removed} old keys removed${resumed ? ' (an earlier rotation was finished; run it again for a new key)' : ''}`;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
