import { createServer } from 'node:net';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { freePort } from '@twinyard/service-kit/process';
import { holderOf } from './port-holder';

export interface ServicePorts {
  /** By which everybody reaches the service. */
  readonly ports: Readonly<Record<ServiceName, number>>;
  /** Of the service's processes: where there is one it has the service's own. */
  readonly replicaPorts: Readonly<Record<ServiceName, readonly number[]>>;
}

/** Different free ports for each service and each of its `replicas`. */
export async function chooseServicePorts(replicas: number): Promise<ServicePorts> {
  const each = replicas === 1 ? 1 : replicas + 1;
  const chosen = new Set<number>();
  while (chosen.size < SERVICES.length * each) chosen.add(await freePort());
  const shares = SERVICES.map((service, index) => ({ service, ports: [...chosen].slice(index * each, (index + 1) * each) }));
  return {
    ports: Object.fromEntries(shares.map(({ service, ports }) => [service, ports[0]])) as ServicePorts['ports'],
    replicaPorts: Object.fromEntries(shares.map(({ service, ports }) => [service, replicas === 1 ? ports : ports.slice(1)])) as unknown as ServicePorts['replicaPorts'],
  };
}

/** Throws, naming the setting and who it is, when somebody listens on the port already. */
export function requireFree(setting: string, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (cause: NodeJS.ErrnoException) => {
      reject(new Error(cause.code === 'EADDRINUSE' ? takenPort(setting, port) : `${setting}: port ${port} cannot be used (${cause.code}). Set ${another(setting, port)}`, { cause }));
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

/** Who has the port, and what to do. */
export function takenPort(setting: string, port: number): string {
  const holder = holderOf(port);
  if (holder === undefined) return `${setting}: port ${port} is taken by another program. Set ${another(setting, port)}`;
  return `${setting}: port ${port} is taken by ${holder.name} (process ${holder.pid}). Stop it, or set ${another(setting, port)}`;
}

const another = (setting: string, port: number) => `${setting} to a free one, for example ${setting}=${port + 10} npm start.`;
