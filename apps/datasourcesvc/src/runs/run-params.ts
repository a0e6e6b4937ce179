import { type FieldIssue, invalidFields } from '@twinyard/conventions';
import type { ComponentCatalogue } from '../components/component-catalogue';
import { faultsOfParams } from '../components/component-params';
import type { Orchestrator } from '../orchestrators/orchestrator.entity';
import { newSteps } from './new-run';
import type { RunParamsDto } from './run.dto';

/** What the steps of a run would be given, held to what their components take. @throws ServiceError `invalid`, with every fault */
export function requireFittingParams(catalogue: ComponentCatalogue, orchestrator: Orchestrator, overrides: readonly RunParamsDto[]): void {
  const faults = newSteps('', orchestrator, overrides).flatMap(({ componentId, name, actualParams }): FieldIssue[] => {
    const component = catalogue.find(componentId);
    // One that is gone is said by the step, when its turn comes.
    return component === undefined ? [] : faultsOfParams(component, actualParams).map(({ field, issue }) => ({ field: `_actualParams.${field}`, issue: `${issue}, in the step ${JSON.stringify(name)}` }));
  });
  if (faults.length > 0) throw invalidFields(faults);
}
