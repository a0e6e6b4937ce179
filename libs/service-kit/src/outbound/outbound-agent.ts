import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { isPrivateAddress } from './private-addresses';

export interface OutboundRules {
  readonly allowPrivate: boolean;
  /** For connecting, for the headers, and between two parts of the body. */
  readonly timeoutMs: number;
  /** None: what is read is bounded by the reader. */
  readonly maxAnswerBytes?: number;
}

/** A tenant named an address of this machine or its networks. */
export class PrivateAddressRefused extends Error {
  constructor() {
    super('it is at a private address');
    this.name = 'PrivateAddressRefused';
  }
}

type Looked = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Connects for requests to addresses that a tenant names. The address is judged where it is connected to: a name that is looked
 * up twice may have two answers.
 */
export function outboundAgent({ allowPrivate, timeoutMs, maxAnswerBytes }: OutboundRules): Agent {
  const judge = (address: string) => {
    if (!allowPrivate && isPrivateAddress(address)) throw new PrivateAddressRefused();
  };
  const connect = buildConnector({ timeout: timeoutMs, lookup: judgedLookup(judge) as never });
  return new Agent({
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 1_000,
    ...(maxAnswerBytes !== undefined && { maxResponseSize: maxAnswerBytes }),
    connect: (options, done) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      try {
        // A number is not looked up.
        if (isIP(host) !== 0) judge(host);
      } catch (refusal) {
        return done(refusal as Error, null);
      }
      return connect(options, done);
    },
  });
}

const judgedLookup = (judge: (address: string) => void) => (host: string, options: LookupOptions, done: Looked) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return done(error, []);
    try {
      addresses.forEach(({ address }) => judge(address));
    } catch (refusal) {
      return done(refusal as NodeJS.ErrnoException, []);
    }
    const [first] = addresses;
    return options.all === true ? done(null, addresses) : done(null, first?.address ?? '', first?.family);
  });
};
