import { invalid } from '@twinyard/conventions';
import { z } from 'zod';
import { defineComponent } from '../component';
import { text } from '../component-params';
import { Templates } from '../rest-connector/templates';
import type { StepContext } from '../step-context';

const FILLED = '`{{inparams.a.b}}` is filled with what the step before returned';

export const notify = defineComponent({
  id: '6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b09',
  name: 'notify',
  description: 'Tells something to whoever the triggers of the namespace say: those whose filters meet `resource.type` `notificationsvc.Notice` and what it holds. Where none does, nobody hears of it',
  params: z.object({
    name: text(`What it is about, up to 200 characters; \`resource._name\` in filters, \`$request.resource._name\` in templates. ${FILLED}`, { examples: ['Import done: {{inparams.counts.new}} new'] }),
    message: text(`Up to 10,000 characters; \`$request.resource._message\`. ${FILLED}`).optional(),
    data: z.record(z.string(), z.unknown()).optional().meta({ description: `For filters and templates: \`resource._data.x\`. ${FILLED}`, examples: [{ level: 'high', refused: '{{inparams.counts.refused}}' }] }),
    _namespace: text('Where the run has several').optional(),
  }),
  async run(step, params) {
    const templates = new Templates({ inparams: step.inparams, actualParams: step.params });
    const name = templates.text(params.name, { at: 'name' });
    const message = params.message === undefined ? undefined : templates.text(params.message, { at: 'message' });
    const data = params.data === undefined ? undefined : (templates.value(params.data, { at: 'data' }) as object);
    const namespace = namespaceOf(step, params._namespace);
    // The step's own id: when it is done again nobody hears of it twice.
    const notice = { _name: name, ...(message !== undefined && { _message: message }), ...(data && { _data: data }), _namespaces: [namespace], _eventId: step.stepId };
    await step.platform.notifications.tell(notice);
    await step.log('info', `Told ${JSON.stringify(name)} to whoever triggers say`);
    return { _eventId: step.stepId, _namespace: namespace, name };
  },
});

function namespaceOf({ namespaces }: StepContext, wanted: string | undefined): string {
  if (wanted !== undefined && !namespaces.includes(wanted)) throw invalid(`_namespace: ${wanted} is none of the run`);
  const [only, ...more] = wanted === undefined ? namespaces : [wanted];
  if (only === undefined || more.length > 0) throw invalid('_namespace: is required, since the run has several');
  return only;
}
