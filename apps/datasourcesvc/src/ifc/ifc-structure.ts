import { invalid, ServiceError } from '@twinyard/conventions';
import { readStep, type StepReading, type StructureFault, structureFaultOf, TooDamaged } from '@twinyard/step';

const MESSAGES: Readonly<Record<StructureFault, string>> = {
  'empty': 'The file is empty',
  'no start': 'The file is not an IFC file: it does not start with ISO-10303-21',
  'no end': 'The IFC file is not whole: it does not end with END-ISO-10303-21',
};

/** The text of an IFC file, made so that the parser neither takes half of a model for the whole nor looks for an end that never comes. */
export function readStructure(file: Uint8Array): StepReading {
  const fault = structureFaultOf(file);
  if (fault !== undefined) throw invalid(MESSAGES[fault]);
  try {
    return readStep(file);
  } catch (cause) {
    if (cause instanceof TooDamaged) throw new ServiceError('invalid', 'The IFC file cannot be read: it is broken in too many places', { cause });
    throw cause;
  }
}
