import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { stopReason } from './stop-reason';
import { runTour } from './tour';

/** Where `npm start` keeps its data: the password and the mails of the platform on this machine. */
const dataDir = resolve(process.env['DATA_DIR'] ?? '.data');

const { values } = parseArgs({
  options: {
    'base-url': { type: 'string', default: process.env['TOUR_BASE_URL'] ?? process.env['BASE_URL'] ?? `http://localhost:${process.env['PORT'] ?? 8080}` },
    email: { type: 'string', default: process.env['TOUR_ADMIN_EMAIL'] ?? process.env['ADMIN_EMAIL'] ?? 'admin@example.com' },
    password: { type: 'string', default: process.env['TOUR_ADMIN_PASSWORD'] ?? process.env['ADMIN_PASSWORD'] ?? keptPassword() },
    model: { type: 'string', default: join(__dirname, '../sample/sample-building.ifc') },
    readings: { type: 'string', default: join(__dirname, '../sample/sample-readings.csv') },
    'mail-dir': { type: 'string', default: process.env['TOUR_MAIL_DIR'] ?? '' },
    'client-file': { type: 'string', default: process.env['TOUR_CLIENT_FILE'] ?? '' },
  },
});

function keptPassword(): string {
  const file = join(dataDir, 'secrets/admin-password');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
}

async function main(): Promise<void> {
  const baseUrl = values['base-url'].replace(/\/+$/, '');
  if (values.password === '') throw new Error('there is no password of the platform manager: give --password or TOUR_ADMIN_PASSWORD, or run beside the platform, with its DATA_DIR');
  const print = (line: string) => process.stdout.write(`${line}\n`);
  print(`The main job, on ${baseUrl}:`);
  const report = await runTour({
    baseUrl, email: values.email, password: values.password, model: values.model, readings: values.readings, print,
    ...(values['mail-dir'] !== '' && { mailDir: values['mail-dir'] }),
    ...(values['client-file'] !== '' && { clientFile: values['client-file'] }),
  });
  print(`Done. Look around in namespace ${report.project.namespace}, for example ${baseUrl}/itemsvc/api/docs`);
}

main().catch((error: unknown) => {
  process.stderr.write(`The tour stopped: ${stopReason(error, values['base-url'])}\n`);
  process.exitCode = 1;
});
