import { ServiceError } from '@twinyard/conventions';
import { withinTime } from '../../step-terms/step-time';
import { type Component, defineComponent } from '../component';
import type { StepContext } from '../step-context';
import { EndpointError } from './exchange/endpoint-error';
import { joined, type Pages, readPages } from './exchange/pages';
import { RestExchange } from './exchange/rest-exchange';
import { RestLine } from './exchange/rest-line';
import { toRequest, toUrl } from './outgoing-request';
import { Redaction } from './redaction';
import { faultsOfRestParams, REST_PARAMS, type RestParams, toRestParams } from './rest-params';
import { requireHost, type RestRules } from './rest-rules';
import { secretsOf } from './step-secrets';
import { Templates } from './templates';

export const restConnector = (rules: RestRules): Component => defineComponent({
  id: '6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b05',
  name: 'rest_connector',
  description: 'Calls a host that the operator allows, over HTTP, and answers its status, headers and body (JSON as a value, else a text, 10 MB at most)',
  params: REST_PARAMS,
  faultsOf: faultsOfRestParams,
  run: async (step, given) => {
    const params = toRestParams(given);
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
