import { makeProject } from './steps/project';
import { TourLog } from './tour-log';

/**
 * Makes a fresh project as the tour does and prints `{ "namespace", "token" }` of its owner: for benchmarks, and for trying things
 * by hand. Settings: TOUR_BASE_URL, TOUR_ADMIN_EMAIL, TOUR_ADMIN_PASSWORD.
 */
async function main(): Promise<void> {
  const { TOUR_BASE_URL: baseUrl = 'http://localhost:8080', TOUR_ADMIN_EMAIL: email = 'admin@example.com', TOUR_ADMIN_PASSWORD: password = '' } = process.env;
  const print = (line: string) => process.stderr.write(`${line}\n`);
  const { namespace, owner } = await makeProject({ baseUrl, email, password, model: '', readings: '', print }, new TourLog(print));
  process.stdout.write(`${JSON.stringify({ namespace, token: owner.token })}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
