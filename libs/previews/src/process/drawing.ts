import type { Kind } from '../kind';
import type { Picture, Refusal } from '../picture';

/** One file to draw; its bytes come and go in files. */
export interface Drawing {
  readonly kind: Kind;
  /** The content; of a text, its first bytes suffice. */
  readonly input: string;
  /** Where the picture goes. */
  readonly output: string;
}

/** What the process says when it has loaded what it draws with: how long that takes is no file's fault. */
export const READY = 'ready';

/** What it says of a file. */
export type DrawingAnswer = { readonly contentType: Picture['contentType'] } | { readonly refusal: Refusal };

export interface Drawn {
  readonly contentType: Picture['contentType'];
  readonly size: number;
}
