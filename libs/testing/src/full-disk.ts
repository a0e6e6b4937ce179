/** What runs SQL in a service's database. */
type Query = (sql: string) => Promise<unknown>;

/** Longer than a service says after a refusal that it has no room. */
const LONG_AGO_MS = 1_000_000;

/**
 * From now on no row comes into these tables, as when the server's disk is full: PostgreSQL refuses it with the same code (`disk_full`, 53100). Answers what makes room
 * again. What is refused meanwhile is noted as of long ago: suites share a process, and those behind this one find it ready.
 */
export async function fillDisk(query: Query, tables: readonly string[]): Promise<() => Promise<void>> {
  await query(`CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`);
  for (const table of tables) await query(`CREATE TRIGGER disk_is_full BEFORE INSERT OR UPDATE ON ${table} EXECUTE FUNCTION disk_is_full()`);
  const real = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => real() - LONG_AGO_MS);
  return async () => {
    await query('DROP FUNCTION disk_is_full CASCADE');
    clock.mockRestore();
  };
}
