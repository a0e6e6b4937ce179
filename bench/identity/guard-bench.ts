import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Allow, AuthGuard, type AuthenticatedRequest, PassportClient, remoteKeys, SyncedGrantSource, TokenVerifier } from '@twinyard/auth';
import type { BenchRow } from '../bench-table';
import { median } from '../statistics';

const GOAL_MICROSECONDS = 60;
const [BATCHES, CALLS, WARM_UP] = [50, 500, 20];

export interface GuardBench {
  readonly baseUrl: string;
  /** passportsvc's own address. */
  readonly passportUrl: string;
  readonly serviceToken: string;
  readonly token: string;
  readonly namespace: string;
  /** What the caller holds, for the name of the row. */
  readonly grants: number;
}

/**
 * What a service does before each request, in this process: the guard of `libs/auth` as `itemsvc` has it, its caches filled from the
 * running passportsvc and kept under its lease, then the question that a read and that a write asks of the caller's grants.
 * Processor time of the whole process, garbage collection and the lease's exchange included, by batches of calls.
 */
export async function benchGuard({ baseUrl, passportUrl, serviceToken, token, namespace, grants }: GuardBench): Promise<BenchRow[]> {
  const logger = { debug: () => undefined } as never;
  const source = new SyncedGrantSource('itemsvc', new PassportClient({ passportUrl, serviceToken }), logger);
  const guard = new AuthGuard(new Reflector(), new TokenVerifier({ baseUrl, keys: remoteKeys(passportUrl) }), source);
  source.onApplicationBootstrap();
  try {
    while (!source.hasLease) await new Promise((resolve) => setImmediate(resolve));
    const check = checker(guard, { token, namespace });
    const perCall: number[] = [];
    for (let batch = 0; batch < BATCHES + WARM_UP; batch += 1) {
      const before = process.cpuUsage();
      for (let call = 0; call < CALLS; call += 1) await check(call);
      const { user, system } = process.cpuUsage(before);
      if (batch >= WARM_UP) perCall.push((user + system) / CALLS);
    }
    return [{
      group: 'identity', what: `authentication and permission check of a request, caller with ${grants} grants, processor time`,
      measured: `${median(perCall).toFixed(1)} µs`, value: median(perCall), goal: `<= ${GOAL_MICROSECONDS} µs`,
    }];
  } finally {
    await source.onApplicationShutdown();
  }
}

class Route {
  @Allow('READ', 'itemsvc:nameduseritem')
  read(): void {
    // The guard is asked about it; it is not called.
  }
}

/** A request anew each time, as a server hands it over, with the token in its header and `nsfilter` in its query. */
function checker(guard: AuthGuard, { token, namespace }: { readonly token: string; readonly namespace: string }): (index: number) => Promise<void> {
  const handler = Route.prototype.read;
  return async (index) => {
    const request = { headers: { authorization: `Bearer ${token}` }, query: { nsfilter: namespace }, id: 'bench', ip: '127.0.0.1' } as unknown as AuthenticatedRequest;
    const context = { getHandler: () => handler, switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
    await guard.canActivate(context);
    const access = request.ctx?.access;
    const target = { type: 'itemsvc:nameduseritem', id: `record-${index % 100}`, namespaces: [namespace] } as const;
    const { areas } = access?.scope('READ', 'itemsvc:nameduseritem') ?? { areas: [] };
    if (areas.length !== 1 || access?.holds('READ', target) !== true) throw new Error('the caller holds nothing');
  };
}
