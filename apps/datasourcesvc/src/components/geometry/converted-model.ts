import { OneAtATime } from '@twinyard/service-kit';
import { type Converted, ConversionInterrupted, convertInProcess } from '../../geometry/geometry-process';
import type { SourceFile } from '../source-file';
import type { StepContext } from '../step-context';
import { type GeometryTerms, mostBytesOf } from './geometry-terms';

/** One model is converted at a time: tools/deployment/resources.ts counts it. */
const CONVERSIONS = new OneAtATime();
/** Where neither the step nor its run has a limit. */
const DEFAULT_TIMEOUT_MS = 600_000;
/** A process that was killed may have been killed for another's sake. */
const TRIES = 2;
const REPORT_EVERY_MS = 1_000;

/** The model, converted when it is its turn. */
export const convertedModel = (step: StepContext, source: SourceFile, terms: GeometryTerms): Promise<Converted> =>
  CONVERSIONS.run(step, () => convertAgain(step, source, terms));

async function convertAgain(step: StepContext, source: SourceFile, terms: GeometryTerms): Promise<Converted> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await convert(step, source, terms);
    } catch (error) {
      if (!(error instanceof ConversionInterrupted) || attempt === TRIES) throw error;
      await step.log('warn', `${error.message}; it is tried again`);
    }
  }
}

async function convert(step: StepContext, { fileId, fileVersionId }: SourceFile, terms: GeometryTerms): Promise<Converted> {
  const { platform, signal, timeLimitMs } = step;
  const model = platform.files.readSlowly(fileId, fileVersionId, mostBytesOf(terms));
  // A file that is too large is refused before there is a process.
  const first = await model.next();
  const reports = new Reports(step);
  const converted = await convertInProcess({
    model: joined(first, model), id: fileVersionId, memoryMb: terms.memoryMb, timeoutMs: timeLimitMs ?? DEFAULT_TIMEOUT_MS, signal,
    tell: (percent) => reports.tell(percent), worked: (ms) => step.worked(ms), ...(terms.started && { started: terms.started }),
  });
  await reports.end();
  return converted;
}

async function* joined(first: IteratorResult<Uint8Array, void>, rest: AsyncGenerator<Uint8Array, void>): AsyncGenerator<Uint8Array, void> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}

/** Says how far a conversion is, one report after the other. */
class Reports {
  private said = Promise.resolve();
  private saidAt = -Infinity;

  constructor(private readonly step: Pick<StepContext, 'report'>) {}

  tell(percent: number): void {
    if (percent < 100 && performance.now() - this.saidAt < REPORT_EVERY_MS) return;
    this.saidAt = performance.now();
    this.said = this.said.then(() => this.step.report({ _done: percent, _total: 100 }));
    // Whoever waits for the end is told.
    this.said.catch(() => undefined);
  }

  end(): Promise<void> {
    return this.said;
  }
}
