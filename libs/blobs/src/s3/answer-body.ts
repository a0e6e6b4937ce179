import { PassThrough, type Readable } from 'node:stream';
import { toStorageError } from './s3-errors';

/**
 * The bytes of an HTTP answer, as a stream like any other: an answer itself lives on when its reader leaves it (`break`), and
 * keeps its connection. One that breaks off is told as a store that is away.
 */
export function bodyOf(answer: Readable): Readable {
  const body = new PassThrough({ highWaterMark: 256 * 1024 });
  answer.on('error', (error) => body.destroy(toStorageError(error, 'lost') as Error));
  body.once('close', () => answer.destroy());
  return answer.pipe(body);
}
