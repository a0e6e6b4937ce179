/**
 * In place of the AsyncLocalStorage in which jest-circus keeps the test that is under way, to know whose an error is that nobody caught. Each spec file loads jest-circus anew, and with it one more
 * AsyncLocalStorage that nobody disables; until Node 24 each of them is carried along by every promise of the process from then on. After twenty files a promise cost seventy times as much.
 * Tests of a file run one after the other, so a variable does: an error that comes late is laid at the door of the test that runs by then.
 */
export class TestInTurn {
  run(store, callback, ...args) {
    const outer = this.store;
    this.store = store;
    const leave = () => { this.store = outer; };
    let answer;
    try {
      answer = callback(...args);
    } catch (error) {
      leave();
      throw error;
    }
    if (typeof answer?.then === 'function') return answer.finally(leave);
    leave();
    return answer;
  }

  getStore() {
    return this.store;
  }
}
