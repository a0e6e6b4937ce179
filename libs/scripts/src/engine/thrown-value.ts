import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core';
import type { ScriptEnd } from '../script';
import type { ModuleNames } from './module-names';

const MESSAGE_LENGTH = 1_000;

/** A text of the script's, cut before it is copied out of the engine. */
export function limitedText(context: QuickJSContext, text: QuickJSHandle, most: number): string {
  const length = context.getNumber(context.getProp(text, 'length'));
  if (length <= most) return context.getString(text);
  const slice = context.callFunction(context.getProp(text, 'slice'), text, context.newNumber(0), context.newNumber(most));
  return slice.error ? '' : context.getString(slice.value);
}

interface Circumstances {
  readonly whileLoading: boolean;
  readonly modules: ModuleNames;
  /** The time is over: asked last, since to look at what was thrown may run code of the script's. */
  readonly isLate: () => boolean;
}

/** Anything may be thrown: `null`, a symbol, an object whose getters throw. */
export function thrownEnd(context: QuickJSContext, error: QuickJSHandle, circumstances: Circumstances): ScriptEnd {
  const kind = context.sameValue(error, context.null) ? 'null' : context.typeof(error);
  if (kind === 'object') return objectEnd(context, error, circumstances);
  const value = primitive(context, error, kind);
  const message = `The script threw${kind === 'string' ? ':' : ''} ${value}`;
  return { kind: 'threw', message, said: kind === 'string' ? value : message };
}

function objectEnd(context: QuickJSContext, error: QuickJSHandle, { whileLoading, modules, isLate }: Circumstances): ScriptEnd {
  const [name, message, stack = ''] = ['name', 'message', 'stack'].map((property) => ownText(context, error, property));
  const limit = limitOf(name, message) ?? (isLate() ? 'time' : undefined);
  if (limit !== undefined) return { kind: 'stopped', limit, message: MESSAGES[limit] };
  const at = modules.placeIn(stack);
  const where = { ...(stack !== '' && { stack }), ...(at && { at }) };
  return name === 'SyntaxError' && whileLoading ? syntaxEnd(message, where) : { kind: 'threw', ...wordsOf(name, message), ...where };
}

function wordsOf(name = 'Error', message: string | undefined) {
  if (message === undefined) return { message: WORDLESS, said: WORDLESS };
  const named = `${name}: ${message}`;
  return { message: `The script threw ${named}`, said: name === 'Error' ? message : named };
}

const WORDLESS = 'The script threw an object without a message';

/** `stack`: of the engine's, whose first line is where it could not go on. */
const syntaxEnd = (message = 'a syntax error', { stack, at }: Pick<Extract<ScriptEnd, { kind: 'threw' }>, 'stack' | 'at'>): ScriptEnd =>
  ({ kind: 'unusable', message: `The script is no module: ${message} ${firstLine(stack)}`.trim(), said: message, ...(at && { at }) });

const MESSAGES = {
  time: 'The script takes too long',
  memory: 'The script needs too much memory',
  stack: 'The script calls itself too often',
} as const;

/** The engine's own words. */
function limitOf(name: string | undefined, message: string | undefined): keyof typeof MESSAGES | undefined {
  if (name !== 'InternalError') return undefined;
  if (message === 'interrupted') return 'time';
  if (message === 'out of memory' || message === 'string too long') return 'memory';
  return message === 'stack overflow' ? 'stack' : undefined;
}

function primitive(context: QuickJSContext, value: QuickJSHandle, kind: string): string {
  if (kind === 'string') return limitedText(context, value, MESSAGE_LENGTH);
  return kind === 'symbol' || kind === 'function' ? `a ${kind}` : String(context.dump(value));
}

/** A text that is there without asking a getter of the script's for more than the time that is left. */
function ownText(context: QuickJSContext, error: QuickJSHandle, property: string): string | undefined {
  try {
    const value = context.getProp(error, property);
    return context.typeof(value) === 'string' ? limitedText(context, value, MESSAGE_LENGTH) : undefined;
  } catch {
    return undefined;
  }
}

const firstLine = (stack: string | undefined) => stack?.trim().split('\n')[0] ?? '';
