import { callCloud, type CloudCall, CloudError, type CloudProvider } from "../../cloud/mod.ts";
import { UndeclaredNeedError } from "../../controllers/mod.ts";

/** More workers than a controller may reasonably have. */
const MOST_CALLS = 1000;

/**
 * A group's calls to the cloud.
 *
 * Contract:
 * 1. Without a provider every call is refused: no row of the group declares that it asks one.
 * 2. More than a thousand calls at a time are refused; a call that was given up counts until it has ended.
 */
export class CloudCalls {
  readonly #provider: CloudProvider | undefined;
  #running = 0;

  constructor(provider: CloudProvider | undefined) {
    this.#provider = provider;
  }

  async make(call: CloudCall, signal: AbortSignal): Promise<{ readonly answer: unknown }> {
    const provider = this.#provider;
    if (!provider) throw new UndeclaredNeedError("the cloud provider");
    if (!isCall(call)) throw new CloudError("Cannot ask the cloud: not a valid call");
    if (this.#running >= MOST_CALLS) {
      throw new CloudError(
        `Cannot ask the cloud to ${call.method}: ${MOST_CALLS} calls of this group are already waiting`,
      );
    }
    this.#running++;
    try {
      return { answer: await callCloud(provider, call, signal) };
    } finally {
      this.#running--;
    }
  }
}

/** Data from a thread may have any type. */
function isCall(call: unknown): call is CloudCall {
  if (typeof call !== "object" || call === null) return false;
  const { capability, method, args } = call as Record<string, unknown>;
  return typeof capability === "string" && typeof method === "string" && Array.isArray(args);
}
