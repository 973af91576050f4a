import { type CloudCall, CloudError } from "../../cloud/mod.ts";

/** A route takes a few hundred bytes, and there is one for each node and family. */
const LONGEST_ANSWER = 16 * 1024 * 1024;

type Check = (answer: unknown) => boolean;

const isBoolean: Check = (answer) => typeof answer === "boolean";
const isObject: Check = (answer) => typeof answer === "object" && answer !== null && !Array.isArray(answer);
const isObjectOrNull: Check = (answer) => answer === null || isObject(answer);
const isRoute: Check = (answer) => {
  if (!isObject(answer)) return false;
  const { targetNode, destinationCIDR } = answer as Record<string, unknown>;
  return typeof targetNode === "string" && typeof destinationCIDR === "string";
};

/** Texts that may be absent. */
const METADATA_TEXTS = ["providerID", "instanceType", "zone", "region"];
/** Machines have a few addresses, or a few hundred if each pod has one, and far fewer labels. */
const MOST_ENTRIES = 1000;

const isTextOrNone: Check = (answer) => answer === undefined || answer === null || typeof answer === "string";
const isAddress: Check = (answer) => {
  if (!isObject(answer)) return false;
  const { type, address } = answer as Record<string, unknown>;
  return typeof type === "string" && typeof address === "string";
};
const isMetadataOrNull: Check = (answer) => {
  if (!isObject(answer)) return answer === null;
  const metadata = answer as Record<string, unknown>;
  const { nodeAddresses: addresses = [], additionalLabels: labels = {} } = metadata;
  return METADATA_TEXTS.every((key) => isTextOrNone(metadata[key])) &&
    (addresses === null ||
      Array.isArray(addresses) && addresses.length <= MOST_ENTRIES && addresses.every(isAddress)) &&
    (labels === null ||
      isObject(labels) && Object.keys(labels as object).length <= MOST_ENTRIES &&
        Object.values(labels as object).every((value) => typeof value === "string"));
};

/** How to check each method's answer; answers of other methods carry nothing. */
const CHECKS: Readonly<Record<string, readonly [what: string, check: Check]>> = {
  getLoadBalancer: ["a status or null", isObjectOrNull],
  ensureLoadBalancer: ["a status", isObject],
  instanceExists: ["true or false", isBoolean],
  instanceShutdown: ["true or false", isBoolean],
  instanceMetadata: ["null, or an object with texts, at most 1000 addresses and at most 1000 labels", isMetadataOrNull],
  listRoutes: ["a list of routes", (answer) => Array.isArray(answer) && answer.every(isRoute)],
};

/**
 * Checks a provider's answer and returns it as plain data that can be sent to threads. Some answers lead to the
 * deletion of nodes, so a malformed one must never count as one of them.
 *
 * @throws {CloudError} If it is not a valid answer to the call, or longer than 16 MiB as JSON.
 */
export function checkedAnswer({ method }: CloudCall, answer: unknown): unknown {
  if (!Object.hasOwn(CHECKS, method)) return undefined;
  const [what, check] = CHECKS[method];
  if (!check(answer)) {
    throw new CloudError(`The cloud provider's answer to ${method} makes no sense: it must be ${what}`);
  }
  const text = JSON.stringify(answer);
  if (text.length > LONGEST_ANSWER) {
    throw new CloudError(`The cloud provider's answer to ${method} is too long: it has ${text.length} characters`);
  }
  return JSON.parse(text);
}
