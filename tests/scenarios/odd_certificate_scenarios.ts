/** Stored requests for certificates whose bodies nobody should have stored, on any server and under either manager. */
import { BROKEN_REQUESTS, ODD_REQUESTS } from "../cluster/differential/signing_bodies.ts";
import { ask, CLIENT, KUBELET, passedOver, tell } from "./certificate_kit.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";

const AT = "2026-01-01T00:00:00Z";
const APPROVED = { type: "Approved", status: "True", reason: "R", lastUpdateTime: AT, lastTransitionTime: AT };

/** Bodies by what scenarios are called. */
const BODIES: Readonly<Record<string, string>> = {
  "no-pem": BROKEN_REQUESTS["no PEM"],
  "zeros": BROKEN_REQUESTS["zeros"],
  "cut-in-its-length": BROKEN_REQUESTS["cut off in its length"],
  "cut-in-its-key": BROKEN_REQUESTS["cut off in its key"],
  "cut-before-its-end": BROKEN_REQUESTS["cut off before its last byte"],
  "bytes-behind-it": BROKEN_REQUESTS["bytes behind it"],
  "changed-signature": BROKEN_REQUESTS["a signature that was changed"],
  "no-signature": BROKEN_REQUESTS["a signature that is no DER"],
  "key-of-16384-bits": BROKEN_REQUESTS["a key of 16,384 bits"],
  "key-of-100000-bits": BROKEN_REQUESTS["a key of 100,000 bits"],
  "modulus-of-zero": BROKEN_REQUESTS["a modulus of zero"],
  "exponent-of-64-bits": BROKEN_REQUESTS["an exponent of 64 bits"],
  "duplicate-extension": ODD_REQUESTS["the same extension twice"],
};

/** Stores a request with this body, and looks at it once a later one of the signer has its certificate. */
async function store(kit: Kit, text: string, signerName: string): Promise<void> {
  await ask(kit, {
    signerName,
    usages: ["digital signature", "client auth"],
    spoil: (request) => {
      request.spec!.request = btoa(text);
      if (signerName === CLIENT) request.status = { conditions: [APPROVED] };
    },
  });
  await passedOver(kit, signerName);
  await tell(kit);
}

/** Some that are approved, and some that the manager would have to approve. */
export const ODD_CERTIFICATE_SCENARIOS: readonly Scenario[] = Object.entries(BODIES).flatMap(([what, text]) => [
  { name: `odd-request-approved-${what}`, run: (kit) => store(kit, text, CLIENT) },
  { name: `odd-request-pending-${what}`, run: (kit) => store(kit, text, KUBELET) },
]);
