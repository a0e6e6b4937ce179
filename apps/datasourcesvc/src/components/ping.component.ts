import { z } from 'zod';
import { defineComponent } from './component';

export const ping = defineComponent({
  id: '6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b01',
  name: 'ping',
  description: 'Answers at once with what it was given: to see whether runs work',
  params: z.object({}),
  async run({ params, inparams, runId, log }) {
    await log('info', 'pong');
    return { pong: true, orchRunId: runId, actualParams: params, inparams };
  },
});
