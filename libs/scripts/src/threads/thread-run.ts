import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxAnswer, SandboxCall, SandboxEnd } from '../engine/sandbox';
import { RunningTime } from '../running-time';
import type { ConsoleLine, ScriptCall, ScriptEnd } from '../script';
import { parsedJson } from './json-of-scripts';
import type { FromThread, Told, ToThread } from './messages';
import { Pace } from './pace';
import { refusalOf } from './refusal';
import { Room } from './room';
import { WayIn } from './way-in';

/** For the engine to notice by itself that the time is over, or for a script that is cancelled to tidy up, before its thread is ended. */
const GRACE_MS = 500;
const START_MS = 30_000;
const LOOK_MS = 50;
/** While it waits, the time of a script does not pass: without a pace one that asks for nothing in particular would keep its service busy for ever. */
const PACE = { atOnce: 1_000, perSecond: 500 } as const;

/** Who is there for a script while it runs. */
export type RunCompany = { readonly [K in 'bridge' | 'signal' | 'onLine' | 'onBusy']?: ScriptCall[K] | undefined };

export interface EndedRun {
  readonly end: SandboxEnd;
  readonly console: readonly ConsoleLine[];
  /** False when the thread is of no more use: its script was stopped, or has left it with more memory than it needs. */
  readonly survived: boolean;
}

/** Whatever receives what is posted. */
export interface ThreadPort {
  postMessage(message: ToThread): void;
}

export const stopped = (limit: 'time' | 'memory', message: string): ScriptEnd => ({ kind: 'stopped', limit, message });
const CANCELLED: ScriptEnd = { kind: 'cancelled', message: 'The script was cancelled' };

/** One script in its thread: its clock, its lines, its questions, and its end. */
export class ThreadRun {
  private time = new RunningTime(START_MS);
  private readonly pace = new Pace(PACE);
  private readonly lines: ConsoleLine[] = [];
  private readonly way: WayIn;
  private readonly room: Room;
  private isOver = false;
  private told = 0;
  /** What the thread had heard when it last said that it waits. */
  private waitsSince: number | undefined;
  /** Ends what is being done for the script when nobody waits for it any more. */
  private readonly unheard = new AbortController();
  private clock: NodeJS.Timeout | undefined;
  private readonly cancel = () => {
    this.tell({ kind: 'abort' });
    setTimeout(() => this.end(CANCELLED, false), GRACE_MS).unref();
  };

  constructor(
    private readonly port: ThreadPort, private readonly call: SandboxCall, private readonly company: RunCompany,
    private readonly done: (ended: EndedRun) => void,
  ) {
    this.way = new WayIn((message) => this.tell(message), call.limits.questionBytes);
    // What is being read for the script, and what it has not come to yet.
    this.room = new Room(call.limits.questionBytes);
  }

  begin(): void {
    const { signal } = this.company;
    if (signal?.aborted) return this.end(CANCELLED, true);
    this.clock = setInterval(() => this.look(), LOOK_MS);
    signal?.addEventListener('abort', this.cancel, { once: true });
    this.port.postMessage({ kind: 'run', call: this.call });
  }

  hear(message: FromThread): void {
    switch (message.kind) {
      // How long a thread takes to start is not the script's fault.
      case 'begun': this.time = new RunningTime(this.call.limits.timeMs + GRACE_MS);
        return;
      case 'line': return this.hearLine(message.line);
      case 'question': return void this.answer(message.id, message.name, message.json);
      case 'waits': return this.hearWaits(message.heard);
      case 'ended': return this.hearEnd(message.answer);
    }
  }

  /** The first that is said of it counts. */
  end(end: SandboxEnd, survived: boolean): void {
    if (this.isOver) return;
    this.isOver = true;
    clearInterval(this.clock);
    this.company.signal?.removeEventListener('abort', this.cancel);
    this.unheard.abort();
    this.done({ end, console: this.lines, survived });
  }

  private hearLine(line: ConsoleLine): void {
    this.lines.push(line);
    this.company.onLine?.(line);
  }

  private hearWaits(heard: number): void {
    this.waitsSince = heard;
    if (heard === this.told) this.way.arrived();
  }

  private hearEnd({ end, hasGrown }: SandboxAnswer): void {
    const isCancelled = this.company.signal?.aborted === true && end.kind !== 'returned';
    this.end(isCancelled ? CANCELLED : end, end.kind !== 'stopped' && !hasGrown);
  }

  private look(): void {
    // While it waits for us its time does not pass. What it was told since it said so has woken it.
    if (this.waitsSince === this.told) return this.time.goOn();
    if (this.time.isOver()) this.end(stopped('time', 'The script takes too long'), false);
  }

  private async answer(id: number, name: string, json: string): Promise<void> {
    let giveBack: (() => void) | undefined;
    const takeRoom = async (bytes: number) => {
      giveBack?.();
      giveBack = undefined;
      giveBack = await this.room.take(bytes);
    };
    try {
      const waitMs = this.pace.wait();
      if (waitMs > 0) await delay(waitMs, undefined, { signal: this.unheard.signal });
      const answer: unknown = await this.company.bridge?.answer(name, parsedJson(json), { signal: this.unheard.signal, takeRoom });
      this.tellAnswer(id, answer === undefined ? undefined : JSON.stringify(answer), () => giveBack?.());
    } catch (error) {
      giveBack?.();
      this.way.put({ kind: 'refusal', id, error: refusalOf(error) }, 0);
    }
  }

  private tellAnswer(id: number, json: string | undefined, sent: () => void): void {
    const { questionBytes } = this.call.limits;
    if (json === undefined) return this.way.put({ kind: 'answer', id }, 0, sent);
    const bytes = Buffer.byteLength(json);
    if (bytes <= questionBytes) return this.way.put({ kind: 'answer', id, json }, bytes, sent);
    this.way.put({ kind: 'refusal', id, error: { message: `The answer has more than ${questionBytes} bytes: ask for less at once`, code: 'too_large' } }, 0, sent);
  }

  private tell(message: Told): void {
    if (this.isOver) return;
    this.told += 1;
    this.port.postMessage(message);
  }
}
