import type { EngineSet } from './engine-set';

/** NAME=value for `npm start`. Where two engines give the same name (two S3 servers), the first one counts. */
export function printableSettings(engines: EngineSet): string[] {
  const settings: Record<string, string> = {};
  for (const name of engines.started()) {
    if (engines.engine(name).isRunning) Object.assign(settings, { ...engines.engine(name).settings(), ...settings });
  }
  if (settings.S3_ENDPOINT) settings.S3_BUCKET = 'twinyard';
  return Object.entries(settings).map(([name, value]) => `${name}=${value}`);
}
