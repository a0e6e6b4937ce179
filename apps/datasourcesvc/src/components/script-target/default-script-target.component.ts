import { ScriptPlatform, ScriptRunner } from '@twinyard/scripts';
import { z } from 'zod';
import { type Component, defineComponent } from '../component';
import { text } from '../component-params';
import type { StepContext } from '../step-context';
import { SCRIPT_SCHEME } from './imports-of';
import { type ParsedCall, ParsedScripts } from './parsed-scripts';
import { type ResolvedScript, resolveScript, type ScriptModule } from './resolved-script';
import { resultOf } from './script-end';
import { ScriptNotes } from './script-notes';
import { LIMITS, type ScriptTerms } from './script-terms';
import { StepTables } from './tables/step-tables';

const PARAMS = z.object({
  userType: text('Of the Script item whose latest one is run, with the rights of the run', { examples: ['energy_report'] }),
  _scriptName: z.string().optional().meta({ description: 'The exported function that is called; the default export without it', examples: ['run'] }),
});

const BEHIND_MS = 1_000;
/** Of the threads for runs inside of requests, what one namespace has at most. */
const INSTANT_SHARE = 0.6;

export function defaultScriptTarget({ threads, instantThreads, seconds }: ScriptTerms): Component {
  const queued = new ScriptRunner({ threads });
  const instant = new ScriptRunner({ threads: instantThreads, threadsPerOwner: Math.ceil(instantThreads * INSTANT_SHARE) });
  const runnerOf = ({ isInstant }: StepContext) => (isInstant ? instant : queued);
  const parsed = new ParsedScripts();
  return defineComponent({
    id: '6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b04',
    name: 'default_script_target',
    description:
      'Runs a Script item, an ES module, in a sandbox: its function is called with `(input, libraries, ctx)`, reaches the platform with the rights of the run, and returns JSON. All other parameters are the script\'s own, in `input.actualParams`',
    params: PARAMS,
    prepare: async (step, { userType }, earlier) => (
      sameOf(earlier as readonly ResolvedScript[], userType) ?? prepared(step, userType, (script) => parsed.faultOf(script, runnerOf(step)))),
    run: async (step, { userType, _scriptName }) => {
      const script = (step.prepared as ResolvedScript | undefined) ?? (await resolved(step, userType));
      return runScript(step, script, { runner: runnerOf(step), seconds, entry: _scriptName });
    },
    close: async () => void (await Promise.all([queued.close(), instant.close()])),
  });
}

/** Of a run whose steps run one script it is looked up, and told of, once. */
const sameOf = (earlier: readonly ResolvedScript[], userType: string) => earlier.find(({ main }) => main.specifier === SCRIPT_SCHEME + userType);

/** Says at the beginning of the run what it is going to run, and whether that is a script at all. */
async function prepared(step: StepContext, userType: string, faultOf: (script: ParsedCall) => Promise<string | undefined>): Promise<ResolvedScript> {
  const script = await resolved(step, userType);
  // Where nobody is free to look, it is said when it runs.
  const fault = await faultOf({ ...modulesOf(script), owners: step.namespaces, signal: step.signal }).catch(() => undefined);
  if (fault !== undefined) await step.log('warn', `${fault}; ${described(script.main)}`);
  return script;
}

async function resolved({ platform, logAll }: StepContext, userType: string): Promise<ResolvedScript> {
  const script = await resolveScript(platform.items, userType);
  await logAll([
    { level: 'info', message: `Runs ${described(script.main)}` },
    ...script.imported.map((module) => ({ level: 'info' as const, message: `Imports ${described(module)}` })),
  ]);
  return script;
}

const described = ({ specifier, item, version }: ScriptModule) => `${specifier}, version ${version} of the item ${item._userItemId} (${item._id}) "${item._name}"`;

const modulesOf = ({ main, imported }: ResolvedScript) => ({
  source: main.source, name: main.specifier, modules: Object.fromEntries(imported.map(({ specifier, source }) => [specifier, source])),
});

interface RunTerms {
  readonly runner: ScriptRunner;
  readonly seconds: number;
  readonly entry: string | undefined;
}

async function runScript(step: StepContext, script: ResolvedScript, { runner, seconds, entry }: RunTerms): Promise<unknown> {
  const notes = new ScriptNotes(step);
  // The clock of the step, or of its run, goes before that of the script, which says it in other words.
  const timeMs = step.timeLimitMs === null ? seconds * 1_000 : step.timeLimitMs + BEHIND_MS;
  const platform = platformOf(step, notes);
  try {
    const outcome = await runner.run({
      ...modulesOf(script), ...platform.callWith({ orchRunId: step.runId, actualParams: step.params, inparams: step.inparams }),
      ...(entry !== undefined && { entry }), owners: step.namespaces, limits: { ...LIMITS, timeMs },
      signal: AbortSignal.any([step.signal, notes.failed]), onLine: (line) => notes.hearLine(line),
      onBusy: (ms) => step.worked(ms),
    });
    const result = resultOf(outcome, timeMs);
    if (platform.underWay > 0) notes.hearLine({ level: 'warn', text: `${platform.underWay} of its calls had no answer yet when the script returned: such calls are ended, and may not have been done. Wait for them by await` });
    return result;
  } finally {
    await platform.close();
    await notes.end();
  }
}

const platformOf = (step: StepContext, notes: ScriptNotes): ScriptPlatform => new ScriptPlatform(
  { runId: step.runId, stepId: step.stepId, namespaces: step.namespaces, principalInfo: { ...step.actor }, now: step.runStartedAt.getTime() },
  { request: (request, terms) => step.platform.calls.request(request, terms), progress: (done, total) => notes.hearProgress(done, total), tables: new StepTables(step) },
);
