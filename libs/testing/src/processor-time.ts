/** Milliseconds of this process's processor time since the call: unlike a clock it does not see what else the machine is doing. */
export function processorTime(): () => number {
  const from = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1_000;
  };
}
