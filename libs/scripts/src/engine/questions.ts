import type { QuickJSContext, QuickJSDeferredPromise, QuickJSHandle } from 'quickjs-emscripten-core';
import type { EngineParts } from './engine';
import type { ScriptLimits } from '../script';
import type { Refusal, ThreadLine, Told } from '../threads/messages';

type Answered = QuickJSHandle | { readonly error: QuickJSHandle };

interface Question {
  readonly promise: QuickJSDeferredPromise;
  readonly name: string;
  /** Of its JSON. */
  readonly bytes: number;
}

interface Waiting {
  readonly id: number;
  /** In the engine: what cannot go yet takes the memory of its script. */
  readonly text: QuickJSHandle | undefined;
}

const NAME_LENGTH = 100;
const CANCELLED: Refusal = { message: 'The run is cancelled', code: 'cancelled' };

/** The questions of a script that wait for their answers. Whoever answers has to judge them: a script may come to ask in other words than its prelude. */
export class Questions {
  private readonly open = new Map<number, Question>();
  private readonly waiting: Waiting[] = [];
  /** Bytes of those that were told and not answered yet: one of the largest goes alone. */
  private underWay = 0;
  private asked = 0;
  private heard = 0;
  private isAborted = false;
  private onAbort: QuickJSHandle | undefined;

  constructor(
    private readonly context: QuickJSContext, private readonly json: Pick<EngineParts, 'parse' | 'stringify'>, private readonly line: ThreadLine,
    private readonly limits: Pick<ScriptLimits, 'openQuestions' | 'questionBytes'>,
  ) {}

  get areOpen(): boolean {
    return this.open.size > 0;
  }

  /** The first that is told counts. */
  whenAborted(told: QuickJSHandle | undefined): void {
    if (told !== undefined && this.context.typeof(told) === 'function') this.onAbort ??= told.dup();
  }

  /** What comes for a script that can do nothing before. */
  next(): Promise<Told> {
    this.line.tell({ kind: 'waits', heard: this.heard });
    return this.line.next();
  }

  hear(message: Told): void {
    this.heard += 1;
    if (message.kind === 'abort') return this.abort();
    const question = this.open.get(message.id);
    this.open.delete(message.id);
    if (question === undefined) return;
    const { promise, bytes } = question;
    this.underWay -= bytes;
    this.tellWaiting();
    if (message.kind === 'answer') this.settle(promise, message.json);
    else this.refuse(promise, message.error);
    promise.dispose();
  }

  ask(name?: QuickJSHandle, input: QuickJSHandle = this.context.undefined): Answered {
    const text = this.context.callFunction(this.json.stringify, this.context.undefined, input);
    if (text.error) return { error: text.error };
    return text.value.consume((json) => this.askInWords(this.nameIn(name), json));
  }

  /** Behind all code of the script's that the words were made by, and that may have asked itself. */
  private askInWords(name: string | undefined, text: QuickJSHandle): Answered {
    const { openQuestions } = this.limits;
    if (this.isAborted) return this.refusedNow(CANCELLED);
    if (name === undefined) return this.refusedNow({ message: 'There is no such question', status: 400, code: 'invalid' });
    if (this.open.size >= openQuestions) return this.refusedNow({ message: `More than ${openQuestions} calls are under way; wait for some of them`, code: 'too_many_calls' });
    const isText = this.context.typeof(text) === 'string';
    const bytes = isText ? this.bytesWithin(text) : 0;
    if (bytes === undefined) return this.refusedNow({ message: `A call may have at most ${this.limits.questionBytes} bytes`, code: 'too_large', status: 413 });
    const id = (this.asked += 1);
    const promise = this.context.newPromise();
    this.open.set(id, { promise, name, bytes });
    this.waiting.push({ id, text: isText ? text.dup() : undefined });
    this.tellWaiting();
    return promise.handle.dup();
  }

  /** In the order in which they were asked. */
  private tellWaiting(): void {
    for (let [next] = this.waiting; next !== undefined; [next] = this.waiting) {
      const question = this.open.get(next.id) as Question;
      if (this.underWay > 0 && this.underWay + question.bytes > this.limits.questionBytes) return;
      this.waiting.shift();
      this.underWay += question.bytes;
      this.line.tell({ kind: 'question', id: next.id, name: question.name, json: next.text?.consume((text) => this.context.getString(text)) ?? 'null' });
    }
  }

  private nameIn(name: QuickJSHandle | undefined): string | undefined {
    return name !== undefined && this.context.typeof(name) === 'string' && this.lengthOf(name) <= NAME_LENGTH ? this.context.getString(name) : undefined;
  }

  /** Its length is asked for before it is copied out of the engine. */
  private bytesWithin(text: QuickJSHandle): number | undefined {
    const { questionBytes } = this.limits;
    if (this.lengthOf(text) > questionBytes) return undefined;
    const bytes = Buffer.byteLength(this.context.getString(text));
    return bytes > questionBytes ? undefined : bytes;
  }

  private lengthOf(text: QuickJSHandle): number {
    return this.context.getProp(text, 'length').consume((length) => this.context.getNumber(length));
  }

  private refusedNow(refusal: Refusal): QuickJSHandle {
    const question = this.context.newPromise();
    this.refuse(question, refusal);
    const promise = question.handle.dup();
    question.dispose();
    return promise;
  }

  private settle(question: QuickJSDeferredPromise, json: string | undefined): void {
    if (json === undefined) return question.resolve();
    const parsed = this.context.newString(json).consume((text) => this.context.callFunction(this.json.parse, this.context.undefined, text));
    if (parsed.error) return parsed.error.consume((error) => question.reject(error));
    parsed.value.consume((value) => question.resolve(value));
  }

  private refuse(question: QuickJSDeferredPromise, { message, status, code }: Refusal): void {
    this.context.newError({ name: 'Error', message }).consume((error) => {
      if (status !== undefined) this.context.newNumber(status).consume((value) => this.context.setProp(error, 'status', value));
      if (code !== undefined) this.context.newString(code).consume((value) => this.context.setProp(error, 'code', value));
      question.reject(error);
    });
  }

  /** What is open is refused, so that a script which tidies up after itself gets to do so. */
  private abort(): void {
    if (this.isAborted) return;
    this.isAborted = true;
    if (this.onAbort) this.context.callFunction(this.onAbort, this.context.undefined).dispose();
    for (const { text } of this.waiting.splice(0)) text?.dispose();
    for (const [id, { promise }] of this.open) {
      this.open.delete(id);
      this.refuse(promise, CANCELLED);
      promise.dispose();
    }
  }
}
