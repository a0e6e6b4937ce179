/** Tells how many events of the batch are done. */
export type Report = (events: number) => void;

/** Lets every batch through once it is open; before that one for each step that a test makes. */
export class StepGate {
  private isOpen = false;
  private readonly batches = new Set<(report: Report) => void>();
  private readonly steps = new Set<() => Report>();

  open(): void {
    this.isOpen = true;
    for (const admit of this.batches) admit(ignore);
    this.batches.clear();
  }

  /** Nothing when the batch is not to be worked on any more. */
  enter(signal: AbortSignal): Promise<Report | undefined> {
    if (this.isOpen) return Promise.resolve(ignore);
    const [step] = this.steps;
    if (step) return Promise.resolve(step());
    return new Promise((resolve) => {
      this.batches.add(resolve);
      signal.addEventListener('abort', () => {
        this.batches.delete(resolve);
        resolve(undefined);
      }, { once: true });
    });
  }

  /** Lets one batch through; the number of events that were done. Nothing when none came in time. */
  letOne(waitMs: number): Promise<number | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.steps.delete(step);
        resolve(undefined);
      }, waitMs);
      const step = () => {
        clearTimeout(timer);
        this.steps.delete(step);
        return resolve;
      };
      const [batch] = this.batches;
      if (!batch) return void this.steps.add(step);
      this.batches.delete(batch);
      batch(step());
    });
  }
}

const ignore: Report = () => undefined;
