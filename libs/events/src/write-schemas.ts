// `node dist/libs/events/src/write-schemas.js`: rewrites libs/events/schemas and docs/events.md from the catalogue.
import { writeFiles } from './schemas/committed-files';

try {
  writeFiles();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
