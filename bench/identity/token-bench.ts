import { type BenchRow, perSecond } from '../bench-table';
import type { BenchOptions } from '../options';
import type { ProcessorClock } from '../platform/process-usage';
import { drive, type Load, medianLoad, processorTime } from '../statistics';
import { BARE_CLIENT, BareProvider } from './bare-client';
import { IdentityClient } from './identity-client';

export interface Client {
  readonly id: string;
  readonly secret: string;
}

export interface TokenBench {
  /** passportsvc's own address. */
  readonly origin: string;
  readonly clock: ProcessorClock;
}

/** Client-credentials tokens beside `oidc-provider` alone, by turns: the same client authentication, scope, algorithm and connections. */
export async function benchTokens({ origin, clock }: TokenBench, client: Client, { tokens, connections, rounds }: BenchOptions): Promise<BenchRow[]> {
  const bare = await BareProvider.start();
  const ways = { bare: new IdentityClient(bare.origin, connections), ours: new IdentityClient(origin, connections) };
  const issue = {
    bare: issuer(ways.bare, '/token', BARE_CLIENT),
    ours: issuer(ways.ours, '/passportsvc/api/v1/oauth/token', client),
  };
  const clocks = { bare: bare.clock, ours: clock };
  const loads: Record<keyof typeof ways, Load[]> = { bare: [], ours: [] };
  try {
    for (const way of turns(rounds)) loads[way].push(await drive(tokens, connections, issue[way], clocks[way]));
  } finally {
    await Promise.all([ways.bare.close(), ways.ours.close()]);
    await bare.stop();
  }
  const [ours, alone] = [medianLoad(loads.ours.slice(1)), medianLoad(loads.bare.slice(1))]; // the first round warms up;
  const say = ({ perSecond: rate, p50Ms }: Load) => `${perSecond(rate)} (p50 ${p50Ms.toFixed(1)} ms)`;
  return [{
    group: 'identity', what: `client-credentials tokens/s on ${connections} connections; bare: oidc-provider`, measured: say(ours), value: ours.perSecond,
    bare: say(alone), ratio: (ours.perSecond / alone.perSecond).toFixed(2), goal: 'ratio >= 0.60', ...processorTime(ours, alone),
  }];
}

/** By turns, so that a drift of the machine hits both. */
const turns = (rounds: number) => Array.from({ length: rounds + 1 }, () => ['bare', 'ours'] as const).flat();

function issuer(http: IdentityClient, path: string, { id, secret }: Client): () => Promise<unknown> {
  const sent = { form: { grant_type: 'client_credentials', scope: 'read write' }, headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` } };
  return async () => {
    const { access_token: token } = await http.ask<{ access_token: string }>('POST', path, sent);
    if (token.split('.').length !== 3) throw new Error('no JWT');
  };
}
