import { isDeepStrictEqual } from 'node:util';
import { type FieldIssue, findInexactNumber, inexactFault, isUuid, newUuid } from '@twinyard/conventions';
import type { Component } from '../components/component';
import type { ComponentCatalogue } from '../components/component-catalogue';
import { faultsOfSomeParams } from '../components/component-params';
import { parseStepTerms } from '../step-terms/step-terms';
import type { OrchestratorStep } from './orchestrator.entity';

const MAX_STEPS = 100;

type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields => value !== null && typeof value === 'object' && !Array.isArray(value);

/**
 * Reads tasks as clients create them (`_params.tasks`) and steps as records show them (`orchsteps`), so that a record can be
 * sent back. `issues` gets every fault; steps come out in the order in which they run.
 */
export function parseSteps(tasks: unknown, at: string, reading: StepReading): OrchestratorStep[] {
  const { issues } = reading;
  if (!Array.isArray(tasks) || tasks.length === 0 || tasks.length > MAX_STEPS) {
    issues.push({ field: at, issue: `must be an array of 1 to ${MAX_STEPS} tasks` });
    return [];
  }
  const steps = tasks.map((task: unknown, index) => parseStep(task, index, `${at}[${index}]`, reading));
  return withDistinctIds(steps).sort((one, other) => one.sequenceNo - other.sequenceNo);
}

export interface StepReading {
  readonly catalogue: ComponentCatalogue;
  readonly issues: FieldIssue[];
  /** Steps as they are kept. */
  readonly stored: readonly OrchestratorStep[];
}

function parseStep(task: unknown, index: number, at: string, reading: StepReading): OrchestratorStep {
  const { issues } = reading;
  const source = isObject(task) ? task : {};
  if (!isObject(task)) issues.push({ field: at, issue: 'must be an object' });
  const component = parseComponent(source, at, reading);
  const { id, _name: name } = source;
  const sequenceNo = parseSequence(source['_sequenceno'], index, at, issues);
  const actualParams = parseParams(source['_actualparams'], `${at}._actualparams`, issues);
  issues.push(...unfitParams(component, actualParams, at, reading));
  return {
    id: isUuid(id) ? id.toLowerCase() : newUuid(),
    componentId: component?.id ?? '',
    name: typeof name === 'string' && name !== '' ? name : component?.name ?? '',
    sequenceNo,
    actualParams,
    ...parseStepTerms(source, at, issues),
  };
}

function parseComponent(source: Fields, at: string, { catalogue, issues }: StepReading): Component | undefined {
  const named = source['_orchcomp'] ?? source['name'] ?? source['_compid'];
  const component = catalogue.find(typeof named === 'string' ? named : '');
  if (component === undefined) issues.push({ field: `${at}._orchcomp`, issue: `must name a component: ${catalogue.all.map(({ name }) => name).join(', ')}` });
  return component;
}

/** What is kept already may be sent back as it is, whatever has become of its component. */
function unfitParams(component: Component | undefined, params: Fields, at: string, { stored }: StepReading): FieldIssue[] {
  if (component === undefined) return [];
  const isKept = stored.some(({ componentId, actualParams }) => componentId === component.id && isDeepStrictEqual(actualParams, params));
  return isKept ? [] : faultsOfSomeParams(component, params).map(({ field, issue }) => ({ field: `${at}._actualparams.${field}`, issue }));
}

function parseSequence(value: unknown, index: number, at: string, issues: FieldIssue[]): number {
  if (value === undefined || value === null) return index + 1;
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && Math.abs(number) < 1_000_000) return number;
  issues.push({ field: `${at}._sequenceno`, issue: 'must be a whole number' });
  return 0;
}

/** An object, or the JSON text of one, which is how records show it. */
function parseParams(value: unknown, field: string, issues: FieldIssue[]): Fields {
  if (value === undefined || value === null || value === '') return {};
  const params = typeof value === 'string' ? parseJson(value) : value;
  const inexact = typeof value === 'string' && isObject(params) ? findInexactNumber(value) : undefined;
  if (inexact !== undefined) issues.push(inexactFault(inexact, field));
  if (isObject(params)) return params;
  issues.push({ field, issue: 'must be an object' });
  return {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A record that was copied by hand may name one step's id twice. */
function withDistinctIds(steps: readonly OrchestratorStep[]): OrchestratorStep[] {
  const taken = new Set<string>();
  return steps.map((step) => {
    const id = taken.has(step.id) ? newUuid() : step.id;
    taken.add(id);
    return { ...step, id };
  });
}
