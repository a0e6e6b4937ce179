import { ServiceError } from '@twinyard/conventions';
import { PlatformError } from '../../platform-client/platform-error';
import { withinTime } from '../../step-terms/step-time';
import { type Component, defineComponent } from '../component';
import type { StepContext } from '../step-context';
import { EndpointError } from './exchange/endpoint-error';
import { joined, type Pages, readPages } from './exchange/pages';
import { RestExchange } from './exchange/rest-exchange';
import { RestLine } from './exchange/rest-line';
import { type FileTarget, toFileTarget } from './file-answer/to-file';
import { type WrittenAnswer, writeAnswer } from './file-answer/written-answer';
import { type OutgoingRequest, toRequest, toUrl } from './outgoing-request';
import { Redaction } from './redaction';
import { conflictsOfRestParams, faultsOfRestParams, REST_PARAMS, type RestParams, toRestParams } from './rest-params';
import { requireHost, type RestRules } from './rest-rules';
import { secretsOf } from './step-secrets';
import { Templates } from './templates';

export const restConnector = (rules: RestRules): Component => defineComponent({
  id: '6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b05',
  name: 'rest_connector',
  description: 'Calls a host that the operator allows, over HTTP, and answers its status, headers and body (JSON as a value, else a text, 10 MB at most; with `_toFile` whatever it is, in a file)',
  params: REST_PARAMS,
  conflictsOf: conflictsOfRestParams,
  faultsOf: faultsOfRestParams,
  run: async (step, given) => {
    const params = toRestParams(given);
    return withinTime(params.timeoutMs, step.signal, (signal) => call(step, params, rules, signal));
  },
});

/** What a call is made with. */
interface Call {
  readonly step: StepContext;
  readonly params: RestParams;
  readonly rules: RestRules;
  readonly signal: AbortSignal;
  readonly request: OutgoingRequest;
  readonly exchange: RestExchange;
  readonly redaction: Redaction;
}

async function call(step: StepContext, params: RestParams, rules: RestRules, signal: AbortSignal): Promise<unknown> {
  const endsAt = performance.now() + params.timeoutMs;
  const values = { inparams: step.inparams, actualParams: step.params };
  const open = new Templates(values);
  const url = toUrl(params, open);
  requireHost(rules, url);
  const target = params.toFile && toFileTarget(params.toFile, open);
  const secrets = await secretsOf(step, params);
  const redaction = new Redaction(secrets.values());
  const hide = (text: string) => redaction.text(text);
  const line = new RestLine(rules, signal);
  try {
    const request = toRequest(params, url, step.stepId, new Templates(values, secrets));
    const exchange = new RestExchange(line, { rules, signal, endsAt, expect: params.expect, hide, note: (message) => step.log('info', hide(message)) });
    const made: Call = { step, params, rules, signal, request, exchange, redaction };
    return await (target === undefined ? readAnswer(made) : writeToFile(made, target));
  } catch (error) {
    throw withoutSecrets(error, hide);
  } finally {
    await line.end();
  }
}

async function readAnswer({ step, params, rules, request, exchange, redaction }: Call): Promise<unknown> {
  const pages = await readPages(exchange, request, rules, params.paginate);
  for (const remark of pages.remarks) await step.log('warn', redaction.text(remark));
  await step.log('info', redaction.text(summaryOf(params, pages)));
  return redaction.value(resultOf(params, pages));
}

async function writeToFile({ step, rules, signal, request, exchange, redaction }: Call, target: FileTarget): Promise<unknown> {
  const ended = { ...step, signal, platform: step.platform.within(signal) };
  const written = await writeAnswer(ended, { exchange, request, bounds: rules.files, redaction }, target);
  await step.log('info', redaction.text(`${calledOf(request.method, request.url)} answered ${written.status}, ${whatWasWritten(written, target)}`));
  return { status: written.status, headers: written.headers, file: fileOf(written) };
}

/** As `export_items` names it; `null` where the answer has no content. */
const fileOf = (written: WrittenAnswer) =>
  ('fileId' in written ? { _fileId: written.fileId, _fileVersionId: written.fileVersionId, _version: written.version, _size: written.bytes } : null);

const whatWasWritten = (written: WrittenAnswer, { name }: FileTarget) => ('fileId' in written ? `wrote ${written.bytes} bytes to ${name}` : 'which has no content: wrote no file');

function resultOf({ paginate }: RestParams, { answer, bodies, next }: Pages): Readonly<Record<string, unknown>> {
  const { status, headers } = answer;
  if (paginate === undefined) return { status, headers, body: bodies[0] };
  return { status, headers, body: joined(bodies), _pages: bodies.length, ...(next !== undefined && { _next: next }) };
}

function summaryOf({ method }: RestParams, { answer: { status, url }, bodies, next }: Pages): string {
  const pages = bodies.length === 1 ? '' : `, ${bodies.length} pages`;
  return `${calledOf(method, url)} answered ${status}${pages}${next === undefined ? '' : ', there are more'}`;
}

/** Without its query. */
const calledOf = (method: string, { origin, pathname }: URL) => `${method} ${origin}${pathname.slice(0, 200)}`;

/** What others said may quote what they were sent. */
function withoutSecrets(error: unknown, hide: (text: string) => string): unknown {
  if (error instanceof EndpointError) return new EndpointError(hide(error.message), error.status);
  if (error instanceof PlatformError) return new PlatformError(hide(error.message), error.status, error.code);
  if (error instanceof ServiceError) return new ServiceError(error.code, hide(error.message));
  return error;
}
