export type { NameUse } from './entity-names';
export type { FaultKind, FaultPlace, Faults } from './faults';
export { readStep, type StepReading, TooDamaged } from './read-step';
export { type StructureFault, structureFaultOf } from './structure-fault';
