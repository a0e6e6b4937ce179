import { limitExceeded } from '@twinyard/conventions';

/** A projection may leave little of much: so many times an answer is read for it. */
export const MOST_READ = 8;

/** What a portion weighs at most (`DocumentStore.portion`): as much as the largest document, so that it is hardly ever one alone. */
export const PORTION_BYTES = 16 * 1024 ** 2;

/** Of what cannot be cut. */
export const refuseHeavy = (bytes: number) => limitExceeded(`What is asked for weighs more than ${bytes} bytes; ask for less of it at a time, or project`, 'project');
