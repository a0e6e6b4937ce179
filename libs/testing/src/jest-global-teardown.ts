import { rmSync } from 'node:fs';
import { testRun } from './test-run';

export default async function stopTestPostgres(): Promise<void> {
  const { postgres } = testRun;
  if (!postgres) return;
  await postgres.server.stop();
  rmSync(postgres.folder, { recursive: true, force: true });
}
