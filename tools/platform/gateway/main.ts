import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '@twinyard/service-kit/process';
import { readGatewaySettings } from './config';
import { createGateway } from './gateway';

async function main(): Promise<void> {
  const settings = readGatewaySettings(process.env);
  let stopping = false;
  const gateway = await createGateway(settings, () => stopping);
  const stop = async (drainMs = 0) => {
    if (stopping) return;
    stopping = true;
    await delay(drainMs);
    await gateway.close().finally(() => process.exit(0));
  };
  process.once('SIGTERM', () => void stop(settings.drainMs));
  process.once('SIGINT', () => void stop());
  if (process.channel) process.once('disconnect', () => void stop());
  await gateway.listen({ port: settings.port, host: settings.host });
  createLogger('gateway', settings.logLevel).info({ port: settings.port }, 'listening');
}

main().catch((error: unknown) => {
  createLogger('gateway', 'info').fatal({ err: error }, 'could not start');
  process.exit(1);
});
