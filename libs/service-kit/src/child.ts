/** What a process and the one that it starts for risky work need of each other. Without Nest and TypeORM: the child loads it too. */
export { answerOfChild, type ChildFaults } from './child-process/answer-of-child';
export { serveParent } from './child-process/serve-parent';
export { endChild, isOutOfHeap, startChild } from './child-process/start-child';
export { watchProcess } from './child-process/watch-process';
