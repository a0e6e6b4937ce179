// `node dist/apps/passportsvc/src/keys.js list|rotate|remove|reseal`, with the settings of passportsvc; see USAGE.
import { createDataSource, loadSettings, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { environment, passportSettings } from './config';
import { runKeysCommand, USAGE } from './signing-keys/keys-command';
import { SigningKeyEntity } from './signing-keys/signing-key.entity';
import { SigningKeysRepository } from './signing-keys/signing-keys.repository';
import { SigningKeys } from './signing-keys/signing-keys.service';

async function main(): Promise<number> {
  const settings = loadSettings(passportSettings, environment);
  const dataSource = await createDataSource({ url: settings.DATABASE_URL, entities: [SigningKeyEntity], migrations: [], poolSize: 1 }).initialize();
  try {
    const repository = new SigningKeysRepository(dataSource);
    const keys = new SigningKeys(new TypeOrmUnitOfWork(dataSource), repository, settings);
    return await runKeysCommand(process.argv.slice(2), keys, repository, (line) => process.stdout.write(`${line}\n`));
  } finally {
    await dataSource.destroy();
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    process.exitCode = 1;
  },
);
