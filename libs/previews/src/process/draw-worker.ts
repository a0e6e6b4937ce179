// A process of its own: it draws one file after the other, and whoever started it ends it when that takes too much.
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { drawFile } from '../draw';
import { NoPicture } from '../picture';
import { type Drawing, type DrawingAnswer, READY } from './drawing';
import { endWithParent } from './end-with-parent';

async function answer(drawing: Drawing): Promise<DrawingAnswer> {
  try {
    const { contentType, bytes } = await drawFile(drawing.kind, drawing.input);
    await writeFile(drawing.output, bytes, { mode: 0o600 });
    return { contentType };
  } catch (error) {
    if (error instanceof NoPicture) return { refusal: error.refusal };
    // A decoder that fails in a way of its own fails for the file's sake; a full disk is another matter.
    if (isOfTheSystem(error)) throw error;
    return { refusal: 'is broken' };
  }
}

const isOfTheSystem = (error: unknown) => error instanceof Error && 'syscall' in error;

/** When the machine runs out of memory, this process goes first, not the service. */
function offerMemory(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Only Linux knows it.
  }
}

offerMemory();
endWithParent();
// It is ended by whoever started it, also when a signal goes to all of a group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', (drawing: Drawing) => {
  answer(drawing).then((said) => process.send?.(said), () => process.exit(1));
});
process.send?.(READY);
