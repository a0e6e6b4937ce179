import type { BenchRow } from '../bench-table';
import type { BenchOptions } from '../options';
import type { BenchPlatform } from '../platform/bench-platform';
import { benchGroupList } from './group-list-bench';
import { benchGuard } from './guard-bench';
import { IdentityClient, PreparedSignIn } from './identity-client';
import { benchSignIns } from './sign-in-bench';
import { benchTokens } from './token-bench';

const API = '/passportsvc/api/v1';
/** Permissions on single records, as somebody has whom much was shared with. */
const SHARED = 100;

/** Tokens, the check of a request, a long list, and sign-ins beside other requests. */
export async function benchIdentity(platform: BenchPlatform, options: BenchOptions, say: (what: string) => void): Promise<BenchRow[]> {
  const [baseUrl, origin] = [platform.baseUrl, platform.serviceUrl('passportsvc')];
  const clock = platform.processorClock('passportsvc');
  const owner = JSON.parse(await platform.runTour('make-project')) as { token: string; namespace: string };
  const http = new IdentityClient(origin, 4);
  try {
    const client = await http.ask<{ client_id: string; client_secret: string }>('POST', `${API}/clients`, { token: owner.token, json: { _name: 'Bench', _scopes: ['read', 'write'] } });
    const user = await somebody(http, baseUrl);
    await share(http, owner, user.id);
    const rows: BenchRow[] = [];
    const steps: Readonly<Record<string, () => Promise<BenchRow[]>>> = {
      tokens: () => benchTokens({ origin, clock }, { id: client.client_id, secret: client.client_secret }, options),
      'the check of a request': () => benchGuard({ baseUrl, passportUrl: origin, serviceToken: platform.serviceToken, token: user.token, namespace: owner.namespace, grants: SHARED }),
      'many groups': () => benchGroupList({ databaseUrl: platform.databaseUrl('passportsvc'), direct: origin, clock, gateway: baseUrl, token: user.token, userId: user.id }, options),
      'many sign-ins': () => benchSignIns({ origin, baseUrl, token: user.token }),
    };
    for (const [what, measure] of Object.entries(steps)) {
      say(what);
      rows.push(...(await measure()));
    }
    return rows;
  } finally {
    await http.close();
  }
}

async function somebody(http: IdentityClient, baseUrl: string): Promise<{ readonly id: string; readonly token: string }> {
  const [email, password] = ['bench@example.com', 'kettle harbour and a lamp'];
  const { _id: id } = await http.ask<{ _id: string }>('POST', `${API}/accounts`, { json: { _email: email, _password: password } });
  const signIn = await new PreparedSignIn(http, baseUrl).prepare();
  return { id, token: await signIn.token(await signIn.submit(email, password)) };
}

async function share(http: IdentityClient, { token, namespace }: { readonly token: string; readonly namespace: string }, userId: string): Promise<void> {
  const permissions = Array.from({ length: SHARED }, (_, index) => ({
    _namespace: namespace, _actions: ['READ'], _resourceDesc: { _irn: `itemsvc:nameduseritem:record-${index}` }, _user: { _type: 'user', _id: userId },
  }));
  const { _failures } = await http.ask<{ _failures: unknown[] }>('PUT', `${API}/permissions`, { token, json: permissions });
  if (_failures.length > 0) throw new Error(`not granted: ${JSON.stringify(_failures[0])}`);
}
