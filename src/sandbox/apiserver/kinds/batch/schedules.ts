import { quote } from "../../validation/field_errors.ts";

/** What one part of a schedule may hold. */
interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const PARTS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];
const DESCRIPTORS = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/** A schedule that cannot be read; its message is upstream's. */
class ScheduleError extends Error {}

function parseNumber(text: string): number {
  if (!/^[-+]?\d+$/.test(text)) {
    throw new ScheduleError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: invalid syntax`,
    );
  }
  const value = Number(text);
  if (value < 0) throw new ScheduleError(`negative number (${value}) not allowed: ${text}`);
  return value;
}

function parseValue(text: string, { names = [] }: Bounds): number {
  const named = text === "" ? -1 : names.indexOf(text.toLowerCase());
  return named >= 0 ? named : parseNumber(text);
}

function checkRange(text: string, bounds: Bounds): void {
  const [range, step, ...more] = text.split("/");
  const [low, high, ...rest] = range.split("-");
  let [start, end] = [bounds.min, bounds.max];
  if (low !== "*" && low !== "?") {
    start = end = parseValue(low, bounds);
    if (rest.length > 0) throw new ScheduleError(`too many hyphens: ${text}`);
    if (high !== undefined) end = parseValue(high, bounds);
  }
  if (more.length > 0) throw new ScheduleError(`too many slashes: ${text}`);
  const every = step === undefined ? 1 : parseNumber(step);
  if (step !== undefined && high === undefined) end = bounds.max;
  const { min, max } = bounds;
  if (start < min) throw new ScheduleError(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw new ScheduleError(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (every === 0) throw new ScheduleError(`step of range should be a positive number: ${text}`);
}

function check(schedule: string): void {
  if (schedule === "") throw new ScheduleError("empty spec string");
  const zone = /^(?:TZ|CRON_TZ)=(\S*)(?:\s+(.*))?$/.exec(schedule);
  let text = schedule;
  if (zone) {
    if (zone[2] === undefined) {
      throw new ScheduleError("invalid schedule format: runtime error: slice bounds out of range [:-1]");
    }
    const problem = zoneProblem(zone[1]);
    if (problem) throw new ScheduleError(`provided bad location ${zone[1]}: ${problem}`);
    text = zone[2].trim();
  }
  if (text.startsWith("@")) return checkDescriptor(text);
  const parts = text.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== PARTS.length) {
    throw new ScheduleError(`expected exactly ${PARTS.length} fields, found ${parts.length}: [${parts.join(" ")}]`);
  }
  for (const [i, part] of parts.entries()) {
    for (const range of part.split(",").filter((one) => one !== "")) checkRange(range, PARTS[i]);
  }
}

const DURATION = /^[-+]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))*$/;

function checkDescriptor(text: string): void {
  if (DESCRIPTORS.includes(text)) return;
  if (!text.startsWith("@every ")) throw new ScheduleError(`unrecognized descriptor: ${text}`);
  const duration = text.slice("@every ".length);
  if (duration === "0" || DURATION.test(duration)) return;
  const why = /^[-+]?[\d.]+$/.test(duration) ? "missing unit in duration" : "invalid duration";
  throw new ScheduleError(`failed to parse duration ${duration}: time: ${why} ${quote(duration)}`);
}

/** What is wrong with a cron schedule, as upstream's parser says it. Upstream: `robfig/cron` (ParseStandard). */
export function scheduleProblem(schedule: string): string | undefined {
  try {
    check(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

/** What is wrong with the name of a time zone. */
export function zoneProblem(name: string): string | undefined {
  if (name === "UTC" || name === "Local") return undefined;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return undefined;
  } catch {
    return `unknown time zone ${name}`;
  }
}
