import type { SigningKeys } from './signing-keys.service';
import type { SigningKeysRepository } from './signing-keys.repository';

export const USAGE = `The keys of passportsvc, while it runs; its replicas follow within 30 seconds.

  keys list         what there is, and since when it signs
  keys rotate       makes new ones, which sign a minute from now; what the old ones have signed stays valid
  keys remove <id>  removes one at once, with the validity of all that it has signed
  keys reseal       encrypts under KEY_ENCRYPTION_KEY what is encrypted under KEY_ENCRYPTION_KEY_PREVIOUS: these keys, the data keys of
                    namespaces, and the secrets of identity providers; stopped half way, it can be run again
`;

/** Runs the command; resolves with its exit code. */
export async function runKeysCommand(
  [verb, id]: readonly string[], keys: SigningKeys, repository: SigningKeysRepository, print: (line: string) => void, reseal = () => keys.reseal(),
): Promise<number> {
  switch (verb) {
    case 'list':
      for (const row of await repository.list()) if (row.purpose !== 'client-secret') print(JSON.stringify({ id: row.id, purpose: row.purpose, signsFrom: row.signsFrom.toISOString() }));
      return 0;
    case 'rotate':
      await keys.rotate();
      print('new keys sign a minute from now');
      return 0;
    case 'remove':
      if (id === undefined || !(await keys.remove(id))) return refuse(print, 'only a key that does not sign now can be removed: keys list');
      print('removed');
      return 0;
    case 'reseal':
      print(`${await reseal()} rows encrypted anew`);
      return 0;
    default:
      return refuse(print, USAGE);
  }
}

function refuse(print: (line: string) => void, line: string): number {
  print(line);
  return 2;
}
