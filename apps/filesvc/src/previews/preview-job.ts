import { job } from '@twinyard/jobs';
import { z } from 'zod';

const order = z.object({
  versionId: z.uuid(),
  /** Whose upload it was, for the event. */
  userId: z.string(),
  requestId: z.string(),
});
export type PreviewOrder = z.infer<typeof order>;

/** From the fetch of a large model over a slow line to the drawing's own limit, which settings say. */
export const FETCH_MS = 600_000;

/** The picture of a version; its key is the version. A store that is away is asked again for some two hours. */
export const PREVIEW = job('filesvc.preview', {
  schema: order, leaseMs: 10_000, longestMs: FETCH_MS, retry: { attempts: 13, firstMs: 2_000, longestMs: 3_600_000 }, concurrency: 1,
});
