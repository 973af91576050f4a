/** What the operating system says of a process. */
const TICKS_PER_S = 100;

/** The processor time that it has used. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}

/** A line of the process's status, such as VmHWM (the peak) or VmRSS. */
export async function statusMiB(pid: number, name: "VmHWM" | "VmRSS"): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1024;
}
