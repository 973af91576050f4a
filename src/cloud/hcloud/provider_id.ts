/** A parsed `spec.providerID`: a cloud server, a dedicated server, or a machine of another cloud. */
export type ProviderId =
  | { readonly kind: "server"; readonly id: number }
  | { readonly kind: "dedicated" }
  | { readonly kind: "foreign" };

const DEDICATED = ["hrobot://", "hcloud://bm-"];
const CLOUD = "hcloud://";

/**
 * Parses a `spec.providerID` in every form that the vendor's manager has ever written: `hcloud://42`, and for dedicated
 * servers `hrobot://7` and `hcloud://bm-7`. Upstream: `hcloud-cloud-controller-manager/internal/providerid`.
 *
 * @throws {Error} If the form is known but the number is malformed.
 *
 * @example
 * ```ts
 * import { readProviderId } from "./provider_id.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(readProviderId("hcloud://42"), { kind: "server", id: 42 });
 * assertEquals(readProviderId("aws:///zone/i-1"), { kind: "foreign" });
 * ```
 */
export function readProviderId(providerId: string): ProviderId {
  const prefix = [...DEDICATED, CLOUD].find((prefix) => providerId.startsWith(prefix));
  if (prefix === undefined) return { kind: "foreign" };
  const number = providerId.slice(prefix.length);
  if (number === "") throw new Error(`providerID is missing a serverID: ${providerId}`);
  const id = /^\d{1,16}$/.test(number) ? Number(number) : NaN;
  if (!Number.isSafeInteger(id) || id === 0) throw new Error(`unable to parse server id: ${providerId}`);
  return prefix === CLOUD ? { kind: "server", id } : { kind: "dedicated" };
}

/** The `spec.providerID` of a server. */
export function providerIdOf(serverId: number): string {
  return `${CLOUD}${serverId}`;
}
