/** For work that may cost a process its life, and for the processes that do it: without Nest and TypeORM they start faster and take 40 MB less. */
export { beChild } from './child/be-child';
export { residentMb } from './child/memory';
export { yieldToService } from './child/priority';
