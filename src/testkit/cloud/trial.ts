import { deepEqual, SystemClock, toError } from "../../base/mod.ts";
import {
  CAPABILITY_NAMES,
  type CloudProvider,
  describe,
  methodsOf,
  providerBehind,
  retryErrorOf,
} from "../../cloud/mod.ts";
import { CloudConformanceError, type CloudTestbed } from "./testbed.ts";

/** How often a provider may ask for a retry. */
const MOST_RETRIES = 100;
/** How long a call may continue after its signal aborts. */
const ENDS_WITHIN_MS = 5_000;

/** A provider under test, with helpers to check its answers. */
export interface Trial {
  /** Passes frozen copies of all arguments to {@link Trial.original}. */
  readonly provider: CloudProvider;
  readonly original: CloudProvider;
  readonly clusterName: string;
  /** For calls that are not aborted. */
  readonly signal: AbortSignal;
  /** Repeats a call while the cloud asks for a retry. */
  patiently<T>(call: () => Promise<T>): Promise<T>;
  /** The outcome of a call that must end soon. */
  ends<T>(what: string, call: Promise<T>): Promise<Outcome<T>>;
}

/** A call's outcome. */
export type Outcome<T> = { readonly value: T; readonly error?: undefined } | { readonly error: Error };

/** Opens a provider whose arguments are frozen and checked after each call. */
export async function openTrial(bed: CloudTestbed): Promise<Trial> {
  const { clusterName = "kubernetes", clock = new SystemClock(), wait = () => {} } = bed;
  const original = await bed.open();
  return {
    provider: unchanging(original),
    original,
    clusterName,
    signal: new AbortController().signal,
    async patiently(call) {
      for (let tries = 1;; tries++) {
        try {
          return await call();
        } catch (error) {
          const retry = retryErrorOf(error);
          if (!retry || tries >= MOST_RETRIES) throw error;
          await wait(retry.afterMs);
          await clock.nextTurn();
        }
      }
    },
    async ends(what, call) {
      const late = Promise.withResolvers<never>();
      const timer = clock.setTimer(
        ENDS_WITHIN_MS,
        () => late.reject(new CloudConformanceError(`${what} did not end within ${ENDS_WITHIN_MS / 1000} s`)),
      );
      try {
        return await Promise.race([outcomeOf(call), late.promise]);
      } finally {
        timer.cancel();
      }
    },
  };
}

/** The outcome of a call that may fail. */
export async function outcomeOf<T>(call: Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await call };
  } catch (error) {
    return { error: toError(error) };
  }
}

/** @throws {CloudConformanceError} With `message`, if `claim` is false. */
export function expect(claim: boolean, message: string): asserts claim {
  if (!claim) throw new CloudConformanceError(message);
}

/** @throws {CloudConformanceError} If they differ. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  if (deepEqual(actual, expected)) return;
  throw new CloudConformanceError(`${what} is ${JSON.stringify(actual)}, and must be ${JSON.stringify(expected)}`);
}

/** Wraps a provider so that it gets frozen copies of all arguments. */
function unchanging(provider: CloudProvider): CloudProvider {
  return providerBehind(describe(provider), async ({ capability, method, args }, signal) => {
    const frozen = args.map((arg) => deepFreeze(structuredClone(arg)));
    const methods = provider[capability] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    return await methods[method](...frozen, signal);
  });
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

/** Capabilities with missing methods. */
export function incomplete(provider: CloudProvider): string[] {
  return CAPABILITY_NAMES.flatMap((capability) => {
    const methods = provider[capability] as Readonly<Record<string, unknown>> | undefined;
    return methods ? methodsOf(capability).filter((method) => typeof methods[method] !== "function") : [];
  });
}
