export { type StructureFault, structureFaultOf } from './structure-fault';
