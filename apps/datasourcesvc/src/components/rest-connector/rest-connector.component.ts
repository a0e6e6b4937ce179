import { ServiceError } from '@twinyard/conventions';
import { withinTime } from '../../step-terms/step-time';
import type { Component } from '../component';
import type { StepContext } from '../step-context';
import { EndpointError } from './exchange/endpoint-error';
import { joined, type Pages, readPages } from './exchange/pages';
import { RestExchange } from './exchange/rest-exchange';
import { RestLine } from './exchange/rest-line';
import { toRequest, toUrl } from './outgoing-request';
import { Redaction } from './redaction';
import { parseRestParams, type RestParams } from './rest-params';
import { requireHost, type RestRules } from './rest-rules';
import { secretsOf } from './step-secrets';
import { Templates } from './templates';

export const restConnector = (rules: RestRules): Component => ({
  id: '6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b05',
  name: 'rest_connector',
  description: 'Calls a host that the operator allows, over HTTP, and answers its status, headers and body (JSON as a value, else a text, 10 MB at most)',
  parameters: [
    { name: 'url', type: 'string', required: true, description: 'Of http or https. In it, and in all texts below, `{{inparams.a.b}}` and `{{actualParams.x}}` are replaced' },
    { name: 'method', type: 'string', required: false, description: '`GET`, if not given' },
    { name: 'headers', type: 'object', required: false, description: 'From name to value; values may hold `{{secret:<name>}}`' },
    { name: 'query', type: 'object', required: false, description: 'From name to a value, or to an array of values' },
    { name: 'body', type: 'any', required: false, description: 'A text is sent as it is, anything else as JSON; it may hold `{{secret:<name>}}`' },
    { name: '_secrets', type: 'string[] | object', required: false, description: 'The secrets that the step may use, or an object from what placeholders say to their names; else any that the run may read' },
    { name: '_timeout', type: 'string', required: false, description: '`<h> <m> <s>` for everything together, an hour at most; 5 minutes, if not given' },
    { name: '_expect', type: 'number[]', required: false, description: 'Statuses that are an answer; else those from 200 to 299' },
    { name: '_paginate', type: 'object', required: false, description: '`{ next, max }`: the address of the next page is at this dotted path of the body, or in the header with `link`; `max` pages, 1,000 at most' },
  ],
  run: async (step) => {
    const params = parseRestParams(step.params);
    return withinTime(params.timeoutMs, step.signal, (signal) => call(step, params, rules, signal));
  },
});

async function call(step: StepContext, params: RestParams, rules: RestRules, signal: AbortSignal): Promise<unknown> {
  const endsAt = performance.now() + params.timeoutMs;
  const values = { inparams: step.inparams, actualParams: step.params };
  const url = toUrl(params, new Templates(values));
  requireHost(rules, url);
  const secrets = await secretsOf(step, params);
  const redaction = new Redaction(secrets.values());
  const hide = (text: string) => redaction.text(text);
  const line = new RestLine(rules, signal);
  try {
    const request = toRequest(params, url, step.stepId, new Templates(values, secrets));
    const exchange = new RestExchange(line, { rules, signal, endsAt, expect: params.expect, hide, note: (message) => step.log('info', hide(message)) });
    const pages = await readPages(exchange, request, rules, params.paginate);
    for (const remark of pages.remarks) await step.log('warn', hide(remark));
    await step.log('info', hide(summaryOf(params, pages)));
    return redaction.value(resultOf(params, pages));
  } catch (error) {
    throw withoutSecrets(error, hide);
  } finally {
    await line.end();
  }
}

function resultOf({ paginate }: RestParams, { answer, bodies, next }: Pages): Readonly<Record<string, unknown>> {
  const { status, headers } = answer;
  if (paginate === undefined) return { status, headers, body: bodies[0] };
  return { status, headers, body: joined(bodies), _pages: bodies.length, ...(next !== undefined && { _next: next }) };
}

function summaryOf({ method }: RestParams, { answer: { status, url }, bodies, next }: Pages): string {
  const pages = bodies.length === 1 ? '' : `, ${bodies.length} pages`;
  return `${method} ${url.origin}${url.pathname.slice(0, 200)} answered ${status}${pages}${next === undefined ? '' : ', there are more'}`;
}

/** What others said may quote what they were sent. */
function withoutSecrets(error: unknown, hide: (text: string) => string): unknown {
  if (error instanceof EndpointError) return new EndpointError(hide(error.message), error.status);
  if (error instanceof ServiceError) return new ServiceError(error.code, hide(error.message));
  return error;
}
