import type { BenchRow } from '../bench-table';
import { IdentityClient, PreparedSignIn } from '../identity/identity-client';
import type { BenchOptions } from '../options';
import { workedOff } from '../platform/backlog';
import type { BenchPlatform } from '../platform/bench-platform';
import { BareStore } from './bare-client';
import { BareBucket } from './bare-bucket.adapter';
import { FileClient, type Project } from './file-client';
import { storeFileTree } from './file-tree';
import { benchLists, benchMove } from './list-bench';
import { benchSmallFiles } from './small-files-bench';
import { benchTransfers } from './transfer-bench';

const API = '/passportsvc/api/v1';

/** Large and small files up and down, lists of very many, and a move; on an S3 the transfers alone, beside its bare client. */
export async function benchFiles(platform: BenchPlatform, options: BenchOptions, say: (what: string) => void): Promise<BenchRow[]> {
  const owner = JSON.parse(await platform.runTour('make-project')) as Project;
  const files = new FileClient(platform.serviceUrl('filesvc'), owner, options.connections);
  const [clock, processId] = [platform.processorClock('filesvc'), platform.processIdOf('filesvc')];
  const bare = platform.isOneMachine ? await BareStore.start() : await BareBucket.open(platform.s3);
  try {
    say('large files');
    const rows = await benchTransfers({ files, bare, clock, processId }, options);
    if (!platform.isOneMachine) return rows;
    say('small files');
    rows.push(...(await benchSmallFiles({ files, clock, afterUploads: () => workedOff(platform) }, options)));
    say(`storing ${options.files.toLocaleString('en')} files`);
    const databaseUrl = platform.databaseUrl('filesvc');
    const stored = JSON.parse(await platform.runTour('make-project')) as Project;
    const tree = await storeFileTree(databaseUrl, stored.namespace, options.files);
    const callers = { owner: stored.token, folders: await somebody(platform, stored, 'folders', tree.granted), singles: await somebody(platform, stored, 'singles', tree.singles) };
    const inTree = new FileClient(platform.serviceUrl('filesvc'), stored, 1);
    await workedOff(platform);
    say('lists');
    rows.push(...(await benchLists({ files: inTree, clock, tree, callers, databaseUrl }, options)), await benchMove(inTree, tree));
    await inTree.close();
    return rows;
  } finally {
    await files.close();
    await bare.stop();
  }
}

/** A token of somebody new who may read these. */
async function somebody(platform: BenchPlatform, { token, namespace }: Project, name: string, ids: readonly string[]): Promise<string> {
  const http = new IdentityClient(platform.serviceUrl('passportsvc'), 1);
  try {
    const [email, password] = [`files-${name}@example.com`, 'kettle harbour and a lamp'];
    const { _id: id } = await http.ask<{ _id: string }>('POST', `${API}/accounts`, { json: { _email: email, _password: password } });
    const permissions = ids.map((file) => ({ _namespace: namespace, _actions: ['READ'], _resourceDesc: { _irn: `filesvc:file:${file}` }, _user: { _type: 'user', _id: id } }));
    const { _failures } = await http.ask<{ _failures: unknown[] }>('PUT', `${API}/permissions`, { token, json: permissions });
    if (_failures.length > 0) throw new Error(`not granted: ${JSON.stringify(_failures[0])}`);
    const signIn = await new PreparedSignIn(http, platform.baseUrl).prepare();
    return await signIn.token(await signIn.submit(email, password));
  } finally {
    await http.close();
  }
}
