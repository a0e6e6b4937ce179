import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { LineTerms } from '../settings/line-settings';

/** A body up to this is one that comes at once on any line that works. So much of a larger one comes in its time, on the average. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** In the time that a caller may be silent it is looked at so often. */
const LOOKS = 4;

/** A request that a service puts to itself (Fastify's `inject`) comes over no line. */
export const hasLine = ({ socket }: IncomingMessage): boolean => socket instanceof Socket;

/** A late sender keeps the pace, and takes too long for the body as a whole. */
export type Slowness = 'slow sender' | 'late sender' | 'slow reader';
export type Cut = (line: Pick<OpenLine, 'request' | 'response' | 'socket'>, slowness: Slowness) => void;

/**
 * Watches the lines of open requests: who sends less of a body, or takes less of an answer, than the least pace while it is waited
 * for is cut off, and so is a body that takes too long as a whole. Only the time counts in which the caller is waited for: a download of hours or a quiet stream of events lives.
 */
export class LineWatch {
  private readonly lines = new Set<OpenLine>();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly terms: LineTerms, private readonly cut: Cut) {
    this.timer = setInterval(() => this.look(performance.now()), terms.silenceMs / LOOKS).unref();
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    if (!hasLine(request)) return;
    const line = new OpenLine(request, response, performance.now());
    this.lines.add(line);
    // What has been answered may still be coming: the rest of a body that is dropped.
    response.once('close', () => (request.complete || line.socket.destroyed) && this.lines.delete(line));
  }

  look(now: number): void {
    for (const line of this.lines) {
      if (line.isOver) this.lines.delete(line);
      else this.judge(line, now);
    }
  }

  close(): void {
    clearInterval(this.timer);
    this.lines.clear();
  }

  private judge(line: OpenLine, now: number): void {
    const slowness = line.slownessAt(now, this.terms);
    if (slowness === undefined) return;
    this.lines.delete(line);
    this.cut(line, slowness);
  }
}

/** What libuv still holds of what was written; Node's own timeouts look at it too. */
interface WriteHandle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

/** Bytes in one direction since the other side is being waited for. */
class Progress {
  constructor(private since: number, private bytes: number) {}

  restart(now: number, bytes: number): void {
    this.since = now;
    this.bytes = bytes;
  }

  isTooSlow(now: number, bytes: number, { silenceMs, leastBytesPerSecond }: LineTerms): boolean {
    const [ms, moved] = [now - this.since, bytes - this.bytes];
    if (ms < silenceMs) return false;
    this.restart(now, bytes);
    return moved === 0 || moved * 1_000 < leastBytesPerSecond * ms;
  }
}

class OpenLine {
  readonly socket: Socket;
  private readonly bytesBefore: number;
  /** In which nobody waited for the sender. */
  private unreadMs = 0;
  private lastLook: number;
  private readonly sent: Progress;
  private readonly taken: Progress;

  constructor(readonly request: IncomingMessage, readonly response: ServerResponse, private readonly begun: number) {
    this.socket = request.socket;
    this.lastLook = begun;
    this.bytesBefore = this.socket.bytesRead;
    this.sent = new Progress(begun, this.bytesBefore);
    this.taken = new Progress(begun, 0);
  }

  get isOver(): boolean {
    return this.socket.destroyed || (this.request.complete && this.response.closed);
  }

  slownessAt(now: number, terms: LineTerms): Slowness | undefined {
    return this.slownessOfSender(now, terms) ?? (this.isSlowReader(now, terms) ? 'slow reader' : undefined);
  }

  private slownessOfSender(now: number, terms: LineTerms): Slowness | undefined {
    const { request, socket } = this;
    if (request.complete) return undefined;
    const { bytesRead } = socket;
    const sinceLook = now - this.lastLook;
    this.lastLook = now;
    // Something lies there unread: it is us who are slow.
    if (request.readableLength > 0) {
      this.sent.restart(now, bytesRead);
      this.unreadMs += sinceLook;
      return undefined;
    }
    if (this.sent.isTooSlow(now, bytesRead, terms)) return 'slow sender';
    return this.isLateAsAWhole(now, bytesRead, terms) ? 'late sender' : undefined;
  }

  private isLateAsAWhole(now: number, bytesRead: number, { smallBodyMs }: LineTerms): boolean {
    const waitedMs = now - this.begun - this.unreadMs;
    return waitedMs >= smallBodyMs && bytesRead - this.bytesBefore <= (SMALL_BODY_BYTES * waitedMs) / smallBodyMs;
  }

  private isSlowReader(now: number, terms: LineTerms): boolean {
    const { socket } = this;
    const handle = (socket as unknown as { readonly _handle: WriteHandle | null })._handle;
    if (handle === null) return false;
    const taken = handle.bytesWritten - handle.writeQueueSize;
    if (handle.writeQueueSize > 0 || socket.writableLength > 0) return this.taken.isTooSlow(now, taken, terms);
    this.taken.restart(now, taken);
    return false;
  }
}
