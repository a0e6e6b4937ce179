import type { DataSource } from 'typeorm';
import type { DeviceSecrets } from './device-secrets';

const BATCH = 500;
const SECRET = `body #>> '{_webhook,_sealedSecret}'`;

interface Row {
  readonly id: string;
  readonly sealed: string;
}

/** Seals every webhook secret under the key that seals now; the number of those that were not. May be stopped and run again. */
export async function resealSecrets(dataSource: DataSource, secrets: DeviceSecrets): Promise<number> {
  let count = 0;
  for (let last = '00000000-0000-0000-0000-000000000000', isLast = false; !isLast; ) {
    const rows = await dataSource.query<Row[]>(
      `SELECT id, ${SECRET} AS sealed FROM resource WHERE kind = 'device' AND id > $1 AND ${SECRET} IS NOT NULL ORDER BY id LIMIT ${BATCH}`, [last],
    );
    for (const { id, sealed } of rows.filter((row) => !secrets.isCurrent(row.sealed))) {
      // A device that was changed meanwhile has been sealed anew with it, or comes with the next run.
      await dataSource.query(
        `UPDATE resource SET body = jsonb_set(body, '{_webhook,_sealedSecret}', to_jsonb($2::text)) WHERE id = $1 AND ${SECRET} = $3`,
        [id, secrets.seal(secrets.open(sealed)), sealed],
      );
      count += 1;
    }
    last = rows.at(-1)?.id ?? last;
    isLast = rows.length < BATCH;
  }
  return count;
}
