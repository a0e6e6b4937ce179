/** What a process and the one that it starts for risky work need of each other. Without Nest and TypeORM: the child loads it too. */
export { serveParent } from './child-process/serve-parent';
export { watchMemory } from './child-process/watch-memory';
export { yieldToService } from './child-process/yield-to-service';
