import { type ControllerDrivers, type DriverAnswer, type DriverCall, DriverError } from "../../controllers/mod.ts";

/** As many as a cluster has volumes of drivers on their way, and more. */
const MOST_CALLS = 1000;
/** The longest argument of a program that systems accept. */
const LONGEST_ARGUMENT = 128 * 1024;
const MOST_ARGUMENTS = 2;

/**
 * The calls of a group to volume drivers.
 *
 * Contract:
 * 1. Malformed calls are refused, and more than a thousand at a time; a call that was given up counts until it has
 *    ended.
 */
export class DriverCalls {
  readonly #drivers: ControllerDrivers;
  #running = 0;

  constructor(drivers: ControllerDrivers) {
    this.#drivers = drivers;
  }

  async make(call: DriverCall, signal: AbortSignal): Promise<{ readonly answer: DriverAnswer | undefined }> {
    if (!isCall(call)) throw new DriverError("Cannot run a volume driver: the call is malformed");
    if (this.#running >= MOST_CALLS) {
      throw new DriverError(`Cannot ${call.command} by ${call.driver}: ${MOST_CALLS} calls of this group wait already`);
    }
    this.#running++;
    try {
      return { answer: await this.#drivers.call(call, signal) };
    } finally {
      this.#running--;
    }
  }
}

/** A thread may send anything. */
function isCall(call: unknown): call is DriverCall {
  if (typeof call !== "object" || call === null) return false;
  const { driver, command, args } = call as Record<string, unknown>;
  return typeof driver === "string" && typeof command === "string" && Array.isArray(args) &&
    args.length <= MOST_ARGUMENTS &&
    args.every((arg) => typeof arg === "string" && arg.length < LONGEST_ARGUMENT);
}
