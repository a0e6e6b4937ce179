import type { IncomingMessage } from 'node:http';

/**
 * Bodies that a service leaves on the line until it knows who sends them. What they say is compared by a digest that the service makes
 * of them, since the same content is framed otherwise each time that it is sent.
 */
export abstract class UnreadBodies {
  abstract takes(contentType: string | undefined): boolean;
  /** Of a body that was read while it was worked on; nothing, when it was not read to its end. */
  abstract digestOf(request: IncomingMessage): string | undefined;
  /** Reads the body of a request that is worked on no further. */
  abstract read(request: IncomingMessage): Promise<string>;
}
