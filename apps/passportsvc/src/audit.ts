// `node dist/apps/passportsvc/src/audit.js head|verify`, with the settings of passportsvc; see USAGE.
import { endWith, loadSettings, printLine, withDataSource } from '@twinyard/service-kit';
import { runAuditCommand, USAGE } from './audit/audit-command';
import { AuditVerificationRepository } from './audit/audit-verification.repository';
import { environment, passportSettings } from './config';

async function main(): Promise<number> {
  const settings = loadSettings(passportSettings, environment);
  return withDataSource({ url: settings.DATABASE_URL }, (dataSource) => runAuditCommand(process.argv.slice(2), new AuditVerificationRepository(dataSource), printLine));
}

endWith(main, { usage: USAGE, failed: 2 });
