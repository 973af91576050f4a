/** Requests for certificates of all ages, and which of them are cleaned up. */
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import {
  type CertificateSigningRequest,
  CERTIFICATESIGNINGREQUESTS,
  type PodCertificateRequest,
  PODCERTIFICATEREQUESTS,
} from "../../src/api/mod.ts";
import { ask } from "./certificate_kit.ts";
import type { Kit } from "./kit.ts";
import { requestPem } from "./request_pem.ts";

/** A request that was made long ago, and what becomes of it. */
interface OldRequest {
  /** When it was made; never, as far as it says, where this is `undefined`. */
  readonly hours: number | undefined;
  /** What was said of it, and how many hours ago; at a time that is not told with `undefined`. */
  readonly said?: Readonly<Record<string, number | undefined>>;
  readonly certificate?: string;
  readonly goes: boolean;
}

/** A signer that nobody plays, so that what is approved and not issued stays so. */
const NOBODY = "example.com/nobody";
const CURVE = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A certificate that is valid until so many hours from now. */
async function certificate(hours: number): Promise<string> {
  const keys = await crypto.subtle.generateKey(CURVE, true, ["sign", "verify"]) as CryptoKeyPair;
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: "CN=x",
    notBefore: new Date(Date.now() - 50 * 3_600_000),
    notAfter: new Date(Date.now() + hours * 3_600_000),
    signingAlgorithm: CURVE,
    keys,
  });
  return made.toString("pem") + "\n";
}

const VALID = await certificate(5);
const EXPIRED = await certificate(-0.1);

const CASES: Readonly<Record<string, OldRequest>> = {
  "pending-23": { hours: 23, goes: false },
  "pending-25": { hours: 25, goes: true },
  "pending-to-come": { hours: -30, goes: false },
  "pending-since-never": { hours: undefined, goes: false },
  "something-else-said": { hours: 100, said: { Other: 90 }, goes: false },
  "denied-0.9": { hours: 50, said: { Denied: 0.9 }, goes: false },
  "denied-1.1": { hours: 50, said: { Denied: 1.1 }, goes: true },
  "denied-at-no-time": { hours: 50, said: { Denied: undefined }, goes: false },
  "denied-to-come": { hours: 50, said: { Denied: -1.1 }, goes: false },
  "failed-0.9": { hours: 50, said: { Failed: 0.9 }, goes: false },
  "failed-1.1": { hours: 50, said: { Failed: 1.1 }, goes: true },
  "approved-lately-failed-long-ago": { hours: 50, said: { Approved: 0.1, Failed: 1.1 }, goes: true },
  "approved-23": { hours: 50, said: { Approved: 23 }, goes: false },
  "approved-25": { hours: 50, said: { Approved: 25 }, goes: true },
  "issued-0.9": { hours: 50, said: { Approved: 0.9 }, certificate: VALID, goes: false },
  "issued-1.1": { hours: 50, said: { Approved: 1.1 }, certificate: VALID, goes: true },
  "issued-unsaid": { hours: 50, certificate: VALID, goes: true },
  "issued-unsaid-lately": { hours: 20, certificate: EXPIRED, goes: false },
  "expired": { hours: 50, said: { Approved: 0.1 }, certificate: EXPIRED, goes: true },
  "expired-first": { hours: 50, said: { Approved: 0.1 }, certificate: EXPIRED + VALID, goes: true },
  "expired-second": { hours: 50, said: { Approved: 0.1 }, certificate: VALID + EXPIRED, goes: false },
  "expired-and-other-text": { hours: 50, said: { Approved: 0.1 }, certificate: `hello\n${EXPIRED}`, goes: true },
  "expired-and-not-approved": { hours: 50, said: { Other: 2 }, certificate: EXPIRED, goes: false },
  "garbage": { hours: 50, said: { Approved: 0.1 }, certificate: "garbage", goes: false },
  "another-block": {
    hours: 50,
    said: { Approved: 0.1 },
    certificate: EXPIRED.replaceAll("CERTIFICATE", "PRIVATE KEY"),
    goes: true,
  },
  "truncated": { hours: 50, said: { Approved: 0.1 }, certificate: EXPIRED.replace(/\n.{20}/, "\n"), goes: false },
};

/** Of pods: by their ages alone. */
const POD_CASES: Readonly<
  Record<string, { readonly hours: number; readonly conditions?: string; readonly goes: boolean }>
> = {
  "young": { hours: 0.2, goes: false },
  "old": { hours: 0.3, goes: true },
  "old-issued": { hours: 0.3, conditions: "Issued", goes: true },
  "young-denied": { hours: 0.2, conditions: "Denied", goes: false },
  "to-come": { hours: -1, goes: false },
};

/** What was so many hours ago means to the API server. */
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString().replace(/\.\d+Z/, "Z");

function age(object: CertificateSigningRequest, { hours, said = {}, certificate }: OldRequest): void {
  object.metadata!.creationTimestamp = hours === undefined ? undefined : hoursAgo(hours);
  const conditions = Object.entries(said).map(([type, hours]) => {
    const at = hours === undefined ? undefined : hoursAgo(hours);
    return { type, status: "True", lastUpdateTime: at, lastTransitionTime: at };
  });
  object.status = { conditions, certificate: certificate && btoa(certificate) };
}

/** Makes all requests; those of pods are in the kit's namespace. */
export async function makeOldRequests(kit: Kit): Promise<void> {
  for (const [name, old] of Object.entries(CASES)) {
    await ask(kit, { signerName: NOBODY, spoil: (stored) => age(stored, old) }, name);
  }
  const stubPKCS10Request = (await requestPem()).replace(/-----[^-]*-----|\s/g, "");
  for (const [name, { hours, conditions }] of Object.entries(POD_CASES)) {
    const request: PodCertificateRequest = {
      apiVersion: "certificates.k8s.io/v1beta1",
      kind: "PodCertificateRequest",
      metadata: { name },
      spec: {
        signerName: NOBODY,
        podName: "web",
        podUID: "1",
        serviceAccountName: "default",
        serviceAccountUID: "2",
        nodeName: "n",
        nodeUID: "3",
        maxExpirationSeconds: 3600,
        stubPKCS10Request,
      },
    };
    await kit.createUnchecked(PODCERTIFICATEREQUESTS, request, (stored) => {
      stored.metadata!.creationTimestamp = hoursAgo(hours);
      if (!conditions) return;
      const condition = {
        type: conditions,
        status: "True",
        reason: "R",
        message: "",
        lastTransitionTime: hoursAgo(hours),
      };
      stored.status = { conditions: [condition] };
    });
  }
}

const staying = (cases: Readonly<Record<string, { readonly goes: boolean }>>) =>
  Object.keys(cases).filter((name) => !cases[name].goes).sort().join(" ");

/** Waits until just those are gone that are to go. */
export async function untilOldRequestsAreGone(kit: Kit): Promise<void> {
  const own = (requests: readonly CertificateSigningRequest[]) =>
    requests.flatMap(({ metadata }) => {
      const [, name] = metadata!.name!.split(`${kit.namespace}-`);
      return name ? [name] : [];
    }).sort().join(" ");
  await kit.untilAll(CERTIFICATESIGNINGREQUESTS, `${staying(CASES)} stay`, (all) => own(all) === staying(CASES));
  const names = (requests: readonly PodCertificateRequest[]) =>
    requests.map(({ metadata }) => metadata?.name).sort().join(" ");
  await kit.untilAll(PODCERTIFICATEREQUESTS, `${staying(POD_CASES)} stay`, (all) => names(all) === staying(POD_CASES));
}
