import { isSecret, type Variables } from './variables';

export interface Address {
  readonly host: string;
  readonly port: number;
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'postgresql:': 5432, 'postgres:': 5432, 'mongodb:': 27017, 'smtp:': 587, 'smtps:': 465 };

/** Settings that name an address without the process ever calling it: clients do. */
const CALLED_BY_OTHERS = new Set(['BASE_URL', 'S3_PUBLIC_ENDPOINT', 'CONSOLE_REDIRECT_URIS', 'CORS_ORIGINS']);

/** Where a process with these variables goes. */
export function addressesIn(variables: Variables): Address[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    if (value === undefined || CALLED_BY_OTHERS.has(name)) return [];
    if (name === 'KAFKA_BROKERS') return value.split(',').map(hostAndPort);
    return /^[a-z]+:\/\//.test(value) ? [addressOf(new URL(value))] : [];
  });
}

function hostAndPort(text: string): Address {
  const [host = '', port] = text.split(':');
  return { host, port: Number(port) };
}

const addressOf = ({ hostname, port, protocol }: URL): Address => ({ host: hostname, port: port === '' ? (PORTS[protocol] ?? 0) : Number(port) });

/** The variables with the values of secrets where they are known. */
export const withSecrets = (variables: Variables, secrets: Readonly<Record<string, string>>): Variables =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value ?? secrets[name] ?? (isSecret(name) ? undefined : value)]));
