import type { BenchRow } from '../bench-table';
import { drive, quantile } from '../statistics';
import { IdentityClient, PreparedSignIn } from './identity-client';

const [PEOPLE, AT_ONCE, OTHERS] = [20, 100, 300];
const PASSWORD = 'kettle harbour and a lamp';

export interface SignInBench {
  /** passportsvc's own address. */
  readonly origin: string;
  readonly baseUrl: string;
  readonly token: string;
}

/** A hundred people press "sign in" at the same moment; what somebody else's request takes meanwhile, beside what it takes else. */
export async function benchSignIns({ origin, baseUrl, token }: SignInBench): Promise<BenchRow[]> {
  const [people, other] = [new IdentityClient(origin, AT_ONCE), new IdentityClient(origin, 1)];
  try {
    const emails = await Promise.all(Array.from({ length: PEOPLE }, (_, index) => signUp(people, `bench-${index}@example.com`)));
    const ask = () => other.ask('GET', '/passportsvc/api/v1/users/me', { token });
    await drive(OTHERS, 1, ask); // warms up
    const alone = await drive(OTHERS, 1, ask);

    const prepared = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) =>
      new PreparedSignIn(people, baseUrl, { 'x-forwarded-for': `198.51.100.${index}` }).prepare()));
    const state = { running: true };
    const began = performance.now();
    const signIns = Promise.all(prepared.map((signIn, index) => signIn.submit(emails[index % PEOPLE] ?? '', PASSWORD))).finally(() => (state.running = false));
    const latencies: number[] = [];
    while (state.running) latencies.push(...(await drive(1, 1, ask)).latencies);
    const statuses = (await signIns).map(({ status }) => status);
    const took = performance.now() - began;
    const signedIn = statuses.filter((status) => status === 303).length;
    const say = (of: readonly number[]) => `p50 ${quantile(of, 0.5).toFixed(1)} ms, p99 ${quantile(of, 0.99).toFixed(1)} ms`;
    return [
      { group: 'identity', what: `another request while ${AT_ONCE} people sign in at once; bare: while nobody does`, measured: say(latencies), bare: say(alone.latencies), value: quantile(latencies, 0.5) },
      { group: 'identity', what: `those ${AT_ONCE} sign-ins, ${signedIn} signed in, the rest answered ${[...new Set(statuses)].filter((status) => status !== 303).join(', ') || 'nothing'}`, measured: `${(took / 1_000).toFixed(1)} s`, value: took },
    ];
  } finally {
    await Promise.all([people.close(), other.close()]);
  }
}

async function signUp(http: IdentityClient, email: string): Promise<string> {
  await http.ask('POST', '/passportsvc/api/v1/accounts', { json: { _email: email, _password: PASSWORD } });
  return email;
}
