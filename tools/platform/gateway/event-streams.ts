import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/**
 * Answers that go on for as long as their readers stay. A gateway that stops waits for what it has under way, but not for these: who reads events connects again when a
 * stream of them ends (WHATWG HTML, server-sent events), and comes to another gateway.
 */
export class EventStreams {
  private readonly ends = new Set<() => void>();

  isOne(answer: FastifyReply): boolean {
    return String(answer.getHeader('content-type')).startsWith('text/event-stream');
  }

  send(answer: FastifyReply, events: Readable): void {
    const { raw } = answer;
    const end = () => {
      const { socket } = raw;
      events.unpipe(raw);
      // Its head has promised to keep the connection, which would be waited for, too.
      raw.end(() => socket?.destroySoon());
    };
    this.ends.add(end);
    raw.once('close', () => this.ends.delete(end));
    void answer.send(events);
  }

  endAll(): void {
    for (const end of this.ends) end();
  }
}
