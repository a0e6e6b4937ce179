// `node dist/apps/passportsvc/src/audit.js head|verify`, with the settings of passportsvc; see USAGE.
import { createDataSource, endWith, loadSettings } from '@twinyard/service-kit';
import { runAuditCommand, USAGE } from './audit/audit-command';
import { AuditVerificationRepository } from './audit/audit-verification.repository';
import { environment, passportSettings } from './config';

async function main(): Promise<number> {
  const settings = loadSettings(passportSettings, environment);
  const dataSource = await createDataSource({ url: settings.DATABASE_URL, entities: [], migrations: [], poolSize: 1 }).initialize();
  try {
    return await runAuditCommand(process.argv.slice(2), new AuditVerificationRepository(dataSource), (line) => process.stdout.write(`${line}\n`));
  } finally {
    await dataSource.destroy();
  }
}

endWith(main, { usage: USAGE, failed: 2 });
