import { randomBytes } from 'node:crypto';
import { invalid } from '@twinyard/conventions';
import { z } from 'zod';
import type { AnswerTerms, ScriptBridge, ScriptCall } from '../script';
import { sandboxSources } from './sandbox-sources';
import { type ScriptAnswer, toldAnswer } from './script-answer';
import { type ScriptRequest, toScriptRequest } from './script-request';
import { OpenTables, PARTS_OF_WRITING } from './tables/open-tables';
import type { ScriptTables } from './tables/script-tables';
import { zoneTable } from './zone-table';

/** What a script knows of the run that it is a part of. */
export interface ScriptFacts {
  readonly runId: string;
  readonly stepId: string;
  readonly namespaces: readonly string[];
  readonly principalInfo: Readonly<Record<string, unknown>>;
  /** Epoch ms. */
  readonly now: number;
}

/** Whoever runs scripts of this platform: runs, triggers, agents, telemetry. */
export interface ScriptHost {
  /** With the rights that the script acts with. What is refused is thrown, with `status`, and with `code` where there is one. */
  request(request: ScriptRequest, terms: AnswerTerms): Promise<ScriptAnswer>;
  /** How far it is, in whatever it counts. */
  progress(done: number, total: number | undefined): void;
  /** Rows of files, where whoever runs the script has files for it. */
  readonly tables?: ScriptTables;
}

const figure = z.number().nonnegative();
const progress = z.object({ done: figure, total: figure.nullish() });

/** One script of this platform: what it is given beside its input, and what answers it. */
export class ScriptPlatform {
  private open = 0;
  private readonly tables: OpenTables | undefined;

  constructor(private readonly facts: ScriptFacts, private readonly host: ScriptHost) {
    this.tables = host.tables && new OpenTables(host.tables);
  }

  /** Calls that have not been answered: of a script that has ended, those that it did not wait for. */
  get underWay(): number {
    return this.open + (this.tables?.abandoned ?? 0);
  }

  /** For a function that is called `(input, libraries, ctx)`. */
  callWith(input: unknown): Required<Pick<ScriptCall, 'arguments' | 'bridge'>> {
    const seed = randomBytes(5).toString('hex');
    const bridge: ScriptBridge = { ...sandboxSources(), answer: (name, asked, terms) => this.answer(name, asked, terms) };
    return { arguments: [input, { ...this.facts, seed }], bridge };
  }

  /** When the script has ended, however that came: nothing that it has opened stays open. */
  async close(): Promise<void> {
    await this.tables?.closeAll();
  }

  private async answer(name: string, asked: unknown, terms: AnswerTerms): Promise<unknown> {
    switch (name) {
      case 'request': return this.counted(terms, () => this.request(asked, terms));
      case 'zone': return zoneTable((asked as { readonly name?: unknown } | null)?.name);
      case 'progress': return this.progress(asked);
      default: return this.ofTables(name, asked, terms);
    }
  }

  private async ofTables(name: string, asked: unknown, terms: AnswerTerms): Promise<unknown> {
    const { tables } = this;
    if (tables === undefined) throw invalid('There is no such question');
    const answered = () => tables.answer(name, asked, terms);
    return PARTS_OF_WRITING.includes(name) ? answered() : this.counted(terms, answered);
  }

  private async request(asked: unknown, terms: AnswerTerms): Promise<unknown> {
    const request = toScriptRequest(asked, this.facts.namespaces);
    return toldAnswer(await this.host.request(request, terms), request);
  }

  private async counted(terms: AnswerTerms, work: () => Promise<unknown>): Promise<unknown> {
    this.open += 1;
    try {
      return await work();
    } finally {
      // What ends because nobody waits for it any more was not answered.
      if (!terms.signal.aborted) this.open -= 1;
    }
  }

  private progress(asked: unknown): void {
    const { success, data } = progress.safeParse(asked);
    if (!success) throw invalid('progress: must be one or two numbers that are not negative');
    this.host.progress(data.done, data.total ?? undefined);
  }
}
