// A process of its own: it draws one file after the other, and whoever started it ends it when that takes too much.
import { writeFile } from 'node:fs/promises';
import { serveParent } from '@twinyard/service-kit/child';
import { drawFile } from '../draw';
import { NoPicture } from '../picture';
import { type Drawing, type DrawingAnswer, READY } from './drawing';

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

serveParent();
process.on('message', (drawing: Drawing) => {
  answer(drawing).then((said) => process.send?.(said), () => process.exit(1));
});
process.send?.(READY);
