import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

const EVERY_MS = 5;
const LONGEST_MS = 60_000;

/** Tells of the ends of runs from the database, all in one look: whoever asked the platform for each would measure that too. */
export class EndedRuns {
  private readonly waiting = new Map<string, (state: string) => void>();
  private readonly client: Client;
  private isLooking = false;

  private constructor(url: string) {
    this.client = new Client({ connectionString: url });
  }

  static async open(url: string): Promise<EndedRuns> {
    const ended = new EndedRuns(url);
    await ended.client.connect();
    return ended;
  }

  /** @throws what a run says that ended otherwise */
  async of(runId: string, wanted = 'COMPLETED'): Promise<void> {
    const state = await new Promise<string>((resolve) => {
      this.waiting.set(runId, resolve);
      void this.look();
    });
    if (state !== wanted) throw new Error(`A run ended ${state}: ${await this.messageOf(runId)}`);
  }

  async begun(runId: string): Promise<void> {
    const isBegun = async () => (await this.client.query('SELECT 1 FROM orchestrator_run WHERE id = $1 AND started_at IS NOT NULL', [runId])).rowCount === 1;
    const until = performance.now() + LONGEST_MS;
    while (!(await isBegun())) {
      if (performance.now() > until) throw new Error(`A run did not begin within ${LONGEST_MS / 1_000} s`);
      await delay(EVERY_MS);
    }
  }

  /** In ms, from the order of each of these runs to its beginning. */
  async waits(runIds: readonly string[]): Promise<number[]> {
    const { rows } = await this.client.query<{ ms: number }>('SELECT extract(epoch FROM started_at - created_at)::float8 * 1000 AS ms FROM orchestrator_run WHERE id = ANY($1)', [runIds]);
    return rows.map(({ ms }) => ms);
  }

  /** In ms, from the due time of each run that a schedule has made to its beginning. */
  async scheduledWaits(): Promise<number[]> {
    const { rows } = await this.client.query<{ ms: number }>('SELECT extract(epoch FROM started_at - schedule_due_at)::float8 * 1000 AS ms FROM orchestrator_run WHERE schedule_due_at IS NOT NULL AND started_at IS NOT NULL');
    return rows.map(({ ms }) => ms);
  }

  close(): Promise<void> {
    return this.client.end();
  }

  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    while (this.waiting.size > 0) {
      const { rows } = await this.client.query<{ id: string; state: string }>(`SELECT id, state FROM orchestrator_run WHERE id = ANY($1) AND state IN ('COMPLETED', 'ERROR', 'CANCELLED')`, [[...this.waiting.keys()]]);
      for (const { id, state } of rows) {
        this.waiting.get(id)?.(state);
        this.waiting.delete(id);
      }
      await delay(EVERY_MS);
    }
    this.isLooking = false;
  }

  private async messageOf(runId: string): Promise<string> {
    const { rows } = await this.client.query<{ message: string }>(`SELECT string_agg(status_message, '; ') AS message FROM orchestrator_run_step WHERE run_id = $1`, [runId]);
    return rows[0]?.message ?? '';
  }
}
