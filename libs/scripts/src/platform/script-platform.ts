import { randomBytes } from 'node:crypto';
import { invalid } from '@twinyard/conventions';
import { z } from 'zod';
import type { AnswerTerms, ScriptBridge, ScriptCall } from '../script';
import { sandboxSources } from './sandbox-sources';
import { type ScriptAnswer, toldAnswer } from './script-answer';
import { type ScriptRequest, toScriptRequest } from './script-request';
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
}

const figure = z.number().nonnegative();
const progress = z.object({ done: figure, total: figure.nullish() });

/** One script of this platform: what it is given beside its input, and what answers it. */
export class ScriptPlatform {
  private open = 0;

  constructor(private readonly facts: ScriptFacts, private readonly host: ScriptHost) {}

  /** Requests that have not been answered: of a script that has ended, those that it did not wait for. */
  get underWay(): number {
    return this.open;
  }

  /** For a function that is called `(input, libraries, ctx)`. */
  callWith(input: unknown): Required<Pick<ScriptCall, 'arguments' | 'bridge'>> {
    const seed = randomBytes(5).toString('hex');
    const bridge: ScriptBridge = { ...sandboxSources(), answer: (name, asked, terms) => this.answer(name, asked, terms) };
    return { arguments: [input, { ...this.facts, seed }], bridge };
  }

  private async answer(name: string, asked: unknown, terms: AnswerTerms): Promise<unknown> {
    switch (name) {
      case 'request': return this.request(asked, terms);
      case 'zone': return zoneTable((asked as { readonly name?: unknown } | null)?.name);
      case 'progress': return this.progress(asked);
      default: throw invalid('There is no such question');
    }
  }

  private async request(asked: unknown, terms: AnswerTerms): Promise<unknown> {
    const request = toScriptRequest(asked, this.facts.namespaces);
    this.open += 1;
    try {
      return toldAnswer(await this.host.request(request, terms), request);
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
