import { performance } from 'node:perf_hooks';
import { eventually } from '@twinyard/testing';
import { keepBusy } from '../../test/busy-service';
import { QuietMoment } from './quiet-moment';

const PATIENCE_MS = 400;

async function waited(moment: QuietMoment, isOver = () => false): Promise<number> {
  const began = performance.now();
  await moment.wait(isOver);
  return performance.now() - began;
}

describe('a quiet moment', () => {
  it('is waited for while the service is busy, and no longer than patience lasts', async () => {
    const stop = keepBusy();
    try {
      expect(await waited(new QuietMoment(PATIENCE_MS))).toBeGreaterThanOrEqual(PATIENCE_MS);
    } finally {
      stop();
    }
  });

  it('comes when the service has answered', async () => {
    const moment = new QuietMoment(60_000);
    const stop = keepBusy();
    let hasAnswered = false;
    setTimeout(() => {
      hasAnswered = true;
      stop();
    }, 200);
    await moment.wait(() => false);
    expect(hasAnswered).toBe(true);
  });

  it('is there at once after another', async () => {
    // Asked again: a machine that stops, or gives the other processes its time, between the two.
    await eventually(async () => {
      const moment = new QuietMoment(60_000, 0);
      await moment.wait(() => false);
      await new Promise((resolve) => { setTimeout(resolve, 20); });
      let looks = 0;
      await moment.wait(() => (looks += 1) > 0);
      expect(looks).toBe(0);
    });
  });

  it('lasts for a while, whatever is done in it', async () => {
    const moment = new QuietMoment(60_000, 60_000);
    await moment.wait(() => false);
    const stop = keepBusy();
    try {
      let looks = 0;
      await moment.wait(() => (looks += 1) > 0);
      expect(looks).toBe(0);
    } finally {
      stop();
    }
  });

  it('is not waited for when it is too late for anything', async () => {
    const stop = keepBusy();
    try {
      expect(await waited(new QuietMoment(60_000), () => true)).toBeLessThan(10_000);
    } finally {
      stop();
    }
  });
});
