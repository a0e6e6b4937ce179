import { createLogger, releaseMemory, stopOnSignals } from '@twinyard/service-kit/process';
import { readGatewaySettings } from './config';
import { createGateway } from './gateway';

async function main(): Promise<void> {
  const settings = readGatewaySettings(process.env);
  let isStopping = false;
  const gateway = await createGateway(settings, () => isStopping);
  stopOnSignals({ begin: () => void (isStopping = true), close: () => gateway.close(), drainSeconds: settings.drainSeconds });
  await releaseMemory();
  await gateway.listen({ port: settings.port, host: settings.host });
  createLogger('gateway', settings.logLevel).info({ port: settings.port }, 'listening');
}

main().catch((error: unknown) => {
  createLogger('gateway', 'info').fatal({ err: error }, 'could not start');
  process.exit(1);
});
