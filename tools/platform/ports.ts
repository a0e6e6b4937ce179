import { createServer } from 'node:net';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { freePort } from '@twinyard/service-kit/process';

/** A different free port for each service. */
export async function chooseServicePorts(): Promise<Record<ServiceName, number>> {
  const ports = new Set<number>();
  while (ports.size < SERVICES.length) ports.add(await freePort());
  const chosen = [...ports];
  return Object.fromEntries(SERVICES.map((service, index) => [service, chosen[index]])) as Record<ServiceName, number>;
}

/** Throws, naming the setting, when somebody listens on the port already. */
export function requireFree(setting: string, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${cause.code})`;
      reject(new Error(`${setting}: port ${port} ${reason}. Set ${setting} to a free one, for example ${setting}=${port + 10} npm start.`, { cause }));
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}
