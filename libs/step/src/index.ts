export type { NameUse } from './entity-names';
export { type FaultKind, type FaultPlace, type Faults, MAX_PLACES } from './faults';
export { placeOfEntity, readStep, type StepReading, TooDamaged } from './read-step';
export { type StructureFault, structureFaultOf } from './structure-fault';
