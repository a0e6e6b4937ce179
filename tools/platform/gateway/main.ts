import { createLogger } from '@twinyard/service-kit/process';
import { readGatewaySettings } from './config';
import { createGateway } from './gateway';

async function main(): Promise<void> {
  const settings = readGatewaySettings(process.env);
  const gateway = await createGateway(settings);
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    void gateway.close().finally(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  if (process.channel) process.once('disconnect', stop);
  await gateway.listen({ port: settings.port, host: settings.host });
  createLogger('gateway', settings.logLevel).info({ port: settings.port }, 'listening');
}

main().catch((error: unknown) => {
  createLogger('gateway', 'info').fatal({ err: error }, 'could not start');
  process.exit(1);
});
