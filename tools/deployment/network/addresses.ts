import type { Variables } from '../variables';

export interface Address {
  readonly host: string;
  readonly port: number;
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'postgresql:': 5432, 'postgres:': 5432, 'mongodb:': 27017, 'smtp:': 587, 'smtps:': 465 };

/** Ports of what lies behind an address that only the deployment knows. */
const SECRET_PORTS: Readonly<Record<string, number>> = { DATABASE_URL: 5432, MONGO_URL: 27017, SMTP_URL: 587 };

/** Settings that name an address without the process ever calling it: clients do. */
export const CALLED_BY_OTHERS: ReadonlySet<string> = new Set(['BASE_URL', 'S3_PUBLIC_ENDPOINT', 'S3_SECONDARY_PUBLIC_ENDPOINT', 'CONSOLE_REDIRECT_URIS', 'CORS_ORIGINS']);
/** `host:port`, several with commas between them; or the path of a socket. */
const WITHOUT_SCHEME = new Set(['KAFKA_BROKERS', 'SCAN_CLAMD_ADDRESS']);

/** Where a process with these variables goes. */
export function addressesIn(variables: Variables): Address[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    if (value === undefined || CALLED_BY_OTHERS.has(name)) return [];
    if (WITHOUT_SCHEME.has(name)) return value.startsWith('/') ? [] : value.split(',').map(hostAndPort);
    return /^[a-z]+:\/\//.test(value) ? [addressOf(new URL(value))] : [];
  });
}

/** Where it goes besides, by addresses that are secrets. */
export const portsOfSecrets = (variables: Variables): number[] =>
  Object.entries(SECRET_PORTS).flatMap(([name, port]) => (name in variables && variables[name] === undefined ? [port] : []));

function hostAndPort(text: string): Address {
  const [host = '', port] = text.split(':');
  return { host, port: Number(port) };
}

const addressOf = ({ hostname, port, protocol }: URL): Address => ({ host: hostname, port: port === '' ? (PORTS[protocol] ?? 0) : Number(port) });
