import { writeOwnerFile } from '../owner-file';
import type { TourLog } from '../tour-log';
import { grant, type Project } from './project';

const PASSPORT = '/passportsvc/api/v1';

/** What `clientFile` holds, a line each as a shell reads it: how the project is reached from a command line. */
export interface DemoClient {
  readonly API: string;
  readonly NAMESPACE: string;
  readonly CLIENT_ID: string;
  readonly CLIENT_SECRET: string;
  /** The collection of the building's storeys and rooms. */
  readonly SPACES: string;
}

/** A client that may do everything in the project, and nothing elsewhere. The file is its owner's alone, and whole or not there. */
export async function makeDemoClient({ manager, owner, namespace }: Project, { file, spaces }: { readonly file: string; readonly spaces: string }, log: TourLog): Promise<void> {
  await log.step('Create a client of the project', async () => {
    const { client_id: id, client_secret: secret } = await manager.post<{ client_id: string; client_secret: string }>(`${PASSPORT}/clients`, { _name: 'Demo', _scopes: ['read', 'write'], _trusted: false });
    await grant(owner, { _namespace: namespace, _actions: ['*'], _resourceDesc: { _irn: '*:*:*' }, _user: { _type: 'client', _id: id } });
    const client: DemoClient = { API: owner.baseUrl, NAMESPACE: namespace, CLIENT_ID: id, CLIENT_SECRET: secret, SPACES: spaces };
    writeOwnerFile(file, Object.entries(client).map(([name, value]) => `${name}=${String(value)}\n`).join(''));
  }, () => `for the command line, kept in ${file}`);
}
