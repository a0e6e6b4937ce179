import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { CONNECTION_MS, type LineTerms, lineSettings, lineTermsOf, loadSettings, stopSettings } from '@twinyard/service-kit/process';
import { z } from 'zod';
import type { SlotTerms } from './shares/fair-slots';

/** `PASSPORT_URL` for passportsvc, as the services themselves call it; `ITEMSVC_URL` and so on for the others. */
export const addressVariable = (service: ServiceName): string => (service === 'passportsvc' ? 'PASSPORT_URL' : `${service.toUpperCase()}_URL`);

const addresses = Object.fromEntries(SERVICES.map((service) => [addressVariable(service), z.url().describe(`Address of ${service} inside the deployment`)]));

const gatewaySettings = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080).describe('Port that the gateway listens on'),
  HOST: z.string().default('0.0.0.0').describe('Address that the gateway listens on'),
  BASE_URL: z.url().describe('Public origin of the platform'),
  DATA_DIR: z.string().optional().describe('Folder of everything that is kept, on one machine: the page at `/` tells it to callers of this machine'),
  UPSTREAM_CONNECTION_MS: z.coerce.number().int().min(1).max(86_400_000).default(CONNECTION_MS).describe('A connection to a service that is older is made anew, so that new replicas get their share'),
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0).describe('Proxies of your own in front of the gateway, such as an ingress: so many addresses at the end of `X-Forwarded-For` are believed'),
  UPSTREAM_CONNECTIONS: z.coerce.number().int().min(1).max(65_535).default(256).describe('Requests that the gateway has open at one service at the same time'),
  UPSTREAM_SHARE_PERCENT: z.coerce.number().int().min(1).max(100).default(25).describe('Of them for one address; more requests of it wait for each other'),
  CONNECTIONS_PER_CALLER: z.coerce.number().int().min(1).default(2_048).describe('Connections that one address (of IPv6: one /64) may have open; more are answered 429. Behind `TRUSTED_PROXIES`, whose connections these are, not counted'),
  ...lineSettings,
  ...stopSettings,
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info').describe('Least severe level that is logged'),
});

/** All that the gateway reads, for whoever compares deployments with it. */
export const gatewayVariables = z.object({ ...gatewaySettings.shape, ...addresses });

export interface GatewaySettings {
  readonly port: number;
  readonly host: string;
  readonly baseUrl: string;
  readonly dataDir: string | undefined;
  readonly logLevel: string;
  readonly upstreams: Readonly<Record<ServiceName, string>>;
  /** After so many a connection is closed and made anew: behind a balancer of connections, replicas that came later get their share. */
  readonly connectionMs: number;
  /** Proxies in front of the gateway that tell the truth about whom they forward. */
  readonly trustedProxies: number;
  readonly slots: SlotTerms;
  readonly connectionsPerCaller: number;
  readonly lines: LineTerms;
  /** From SIGTERM to the close. */
  readonly drainSeconds: number;
}

export function readGatewaySettings(environment: NodeJS.ProcessEnv): GatewaySettings {
  const values = loadSettings(gatewaySettings, environment);
  const urls: Record<string, unknown> = loadSettings(z.object(addresses), environment);
  const upstreams = Object.fromEntries(SERVICES.map((service) => [service, String(urls[addressVariable(service)])]));
  return {
    port: values.PORT, host: values.HOST, baseUrl: values.BASE_URL, dataDir: values.DATA_DIR, logLevel: values.LOG_LEVEL,
    upstreams: upstreams as Record<ServiceName, string>, connectionMs: values.UPSTREAM_CONNECTION_MS, trustedProxies: values.TRUSTED_PROXIES,
    slots: slotsOf(values.UPSTREAM_CONNECTIONS, values.UPSTREAM_SHARE_PERCENT), connectionsPerCaller: values.CONNECTIONS_PER_CALLER, lines: lineTermsOf(values),
    drainSeconds: values.DRAIN_SECONDS,
  };
}

const slotsOf = (total: number, percent: number): SlotTerms => ({ total, share: Math.max(1, Math.floor((total * percent) / 100)) });
